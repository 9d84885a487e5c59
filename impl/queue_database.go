package impl

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// tasksTable is plain enough for SQLite, MySQL and MariaDB. Times are Unix
// milliseconds. A large table wants an index on (status, id) for the reaper of lua.
const tasksTable = `CREATE TABLE IF NOT EXISTS tasks (
	id          BIGINT       NOT NULL PRIMARY KEY,
	status      VARCHAR(16)  NOT NULL,
	retry_count INTEGER      NOT NULL DEFAULT 0,
	started_at  BIGINT,
	finished_at BIGINT,
	result      TEXT,
	attempt     BIGINT       NOT NULL DEFAULT 0,
	worker      VARCHAR(191)
)`

// TaskRow is the row of a task.
type TaskRow struct {
	ID         int64
	State      TaskState
	Retries    int       // how often the task was put back
	StartedAt  time.Time // zero when the row has none
	FinishedAt time.Time // zero when the row has none
	Result     string    // of the handler, or why it failed last
	Attempt    int64     // the last attempt that the row knows of; 0 from naive
	Worker     string    // whose attempt it is, while it is processing and after it is done; "" from naive
}

// MigrateTasks creates the table of [Queue] unless it exists:
//
//	tasks (id, status, retry_count, started_at, finished_at, result, attempt, worker)
func MigrateTasks(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, tasksTable); err != nil {
		return fmt.Errorf("migrate tasks: %w", err)
	}
	return nil
}

// OpenTasks returns a new SQLite database in memory with the table of [Queue],
// empty. It has one connection, which is the database.
func OpenTasks(ctx context.Context) (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("open memory database: %w", err)
	}
	db.SetMaxOpenConns(1)
	if err := MigrateTasks(ctx, db); err != nil {
		return nil, fmt.Errorf("%w (and close: %v)", err, db.Close())
	}
	return db, nil
}

// InsertTask makes the row of a new task, pending: id.
const InsertTask = `INSERT INTO tasks (id, status) VALUES (?, 'pending')`

const selectTask = `SELECT id, status, retry_count, started_at, finished_at, result, attempt, worker FROM tasks`

// ReadTask returns the row of a task; found is false when it has none.
func ReadTask(ctx context.Context, db *sql.DB, id int64) (row TaskRow, found bool, err error) {
	rows, err := readTasks(ctx, db, selectTask+` WHERE id = ?`, id)
	if err != nil || len(rows) == 0 {
		return TaskRow{}, false, err
	}
	return rows[0], true, nil
}

// ReadTasks returns all rows, in the order of their ids.
func ReadTasks(ctx context.Context, db *sql.DB) ([]TaskRow, error) {
	return readTasks(ctx, db, selectTask+` ORDER BY id`)
}

// ReadUnfinished returns the rows after an id that are pending or processing, in
// the order of their ids and at most limit of them.
func ReadUnfinished(ctx context.Context, db *sql.DB, after int64, limit int) ([]TaskRow, error) {
	return readTasks(ctx, db, selectTask+` WHERE id > ? AND status IN ('pending', 'processing') ORDER BY id LIMIT ?`, after, limit)
}

func readTasks(ctx context.Context, db *sql.DB, query string, args ...any) ([]TaskRow, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	defer rows.Close()
	var list []TaskRow
	for rows.Next() {
		var row TaskRow
		var started, finished sql.NullInt64
		var result, worker sql.NullString
		if err := rows.Scan(&row.ID, &row.State, &row.Retries, &started, &finished, &result, &row.Attempt, &worker); err != nil {
			return nil, fmt.Errorf("read tasks: %w", err)
		}
		row.StartedAt, row.FinishedAt = fromMillis(started), fromMillis(finished)
		row.Result, row.Worker = result.String, worker.String
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	return list, nil
}

func fromMillis(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.UnixMilli(n.Int64)
}
