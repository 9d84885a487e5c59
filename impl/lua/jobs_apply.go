package lua

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/racebench/racebench/impl"
)

// Apply reads status, total and results at one moment and writes all of them to
// the rows of the target in one transaction, once for each job.
//
// It refuses a job that is not SUCCESS with [impl.ErrRefused], one whose results
// are not all there with [impl.ErrIncomplete], and one that was applied before with
// [impl.ErrAlreadyApplied]; then, and when a row is missing ([impl.ErrIncomplete]
// too), no row is changed.
//
// Limits: once means once for a job, as the applies table has it; an older job
// that is applied after a newer one overwrites its texts. When the reply to the commit
// is lost the caller gets an error though the rows are written; a second call
// then says ErrAlreadyApplied.
func (j *Jobs) Apply(ctx context.Context, job impl.Job, db *sql.DB) (int, error) {
	r, err := run(ctx, j.rdb, readResultsScript, []string{job.Key(), job.ResultsKey()})
	if err != nil {
		return 0, fmt.Errorf("apply job %s: %w", job, err)
	}
	switch r.code {
	case codeDone:
	case codeIncomplete:
		return 0, fmt.Errorf("apply job %s: %w: %s", job, impl.ErrIncomplete, r.detail)
	default:
		return 0, r.jobError(job, "apply")
	}
	if err := writeOnce(ctx, db, job, r.rest); err != nil {
		return 0, fmt.Errorf("apply job %s: %w", job, err)
	}
	return len(r.rest), nil
}

// writeOnce records the job and writes texts[i] to row i, all or nothing.
func writeOnce(ctx context.Context, db *sql.DB, job impl.Job, texts []string) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if err != nil {
			if rollback := tx.Rollback(); rollback != nil && !errors.Is(rollback, sql.ErrTxDone) {
				err = fmt.Errorf("%w (and roll back: %v)", err, rollback)
			}
		}
	}()
	if err := claimApply(ctx, tx, job); err != nil {
		return err
	}
	for item, text := range texts {
		changed, err := changeRows(ctx, tx, impl.UpdateItem, text, job.Target, item)
		if err != nil {
			return fmt.Errorf("update item %d: %w", item, err)
		}
		if changed != 1 {
			return fmt.Errorf("%w: no row for item %d of %d", impl.ErrIncomplete, item, len(texts))
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// claimApply writes the row that only one apply of a job can write: the primary key is the condition. Of two at once the second
// waits for the first to end and then succeeds or meets its row.
//
// An INSERT that does nothing when the row is there has another form in each dialect, and INSERT … SELECT … WHERE NOT
// EXISTS, which all have, locks the gap that it has looked into: on MySQL and MariaDB, two of them deadlock, even for
// different jobs. What a failed INSERT means is asked of the rows and not of the error, whose type is the driver's.
func claimApply(ctx context.Context, tx *sql.Tx, job impl.Job) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO applies (target, job_id) VALUES (?, ?)`, job.Target, job.ID)
	if err == nil {
		return nil
	}
	var there int
	look := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM applies WHERE target = ? AND job_id = ?`, job.Target, job.ID).Scan(&there)
	if look == nil && there > 0 {
		return impl.ErrAlreadyApplied
	}
	return fmt.Errorf("claim: %w", err)
}

// changeRows executes one statement and returns how many rows it changed.
func changeRows(ctx context.Context, tx *sql.Tx, statement string, args ...any) (int64, error) {
	result, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
