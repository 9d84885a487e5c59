package impl

import (
	"context"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // the driver that OpenMemory uses
)

// schema is what Apply writes to. A row of items counts how often it was
// written, so that a double apply is visible (applied = 2) and so is a torn one
// (rows left at applied = 0).
var schema = []string{
	`CREATE TABLE IF NOT EXISTS items (
		target  VARCHAR(191) NOT NULL,
		idx     INTEGER      NOT NULL,
		text    TEXT,
		applied INTEGER      NOT NULL DEFAULT 0,
		PRIMARY KEY (target, idx)
	)`,
	`CREATE TABLE IF NOT EXISTS applies (
		target VARCHAR(191) NOT NULL,
		job_id VARCHAR(191) NOT NULL,
		PRIMARY KEY (target, job_id)
	)`,
}

// UpdateItem is the statement that writes one result: text, target, index.
const UpdateItem = `UPDATE items SET text = ?, applied = applied + 1 WHERE target = ? AND idx = ?`

// Item is one row that Apply may write.
type Item struct {
	Index   int
	Text    string // "" until the first apply
	Applied int    // how many times the row was written by an apply
}

// Migrate creates the tables of Apply unless they exist:
//
//	items   (target, idx, text, applied)   one row an item; Apply sets text and counts applied up
//	applies (target, job_id)               one row for each job that lua has applied
func Migrate(ctx context.Context, db *sql.DB) error {
	for _, statement := range schema {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
	}
	return nil
}

// OpenMemory returns a new, empty, migrated SQLite database in memory. It has
// one connection, which is the database: a second one would see another.
func OpenMemory(ctx context.Context) (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("open memory database: %w", err)
	}
	db.SetMaxOpenConns(1)
	if err := Migrate(ctx, db); err != nil {
		return nil, fmt.Errorf("%w (and close: %v)", err, db.Close())
	}
	return db, nil
}

// AddItems inserts the rows 0 to total-1 of target, not yet applied. They exist
// before a job starts: they are what the job works on.
func AddItems(ctx context.Context, db *sql.DB, target string, total int) error {
	for index := range total {
		if _, err := db.ExecContext(ctx, `INSERT INTO items (target, idx) VALUES (?, ?)`, target, index); err != nil {
			return fmt.Errorf("add item %d of %s: %w", index, target, err)
		}
	}
	return nil
}

// ReadItems returns the rows of target in the order of their index.
func ReadItems(ctx context.Context, db *sql.DB, target string) ([]Item, error) {
	rows, err := db.QueryContext(ctx,
		`SELECT idx, COALESCE(text, ''), applied FROM items WHERE target = ? ORDER BY idx`, target)
	if err != nil {
		return nil, fmt.Errorf("read items of %s: %w", target, err)
	}
	defer rows.Close()
	var items []Item
	for rows.Next() {
		var item Item
		if err := rows.Scan(&item.Index, &item.Text, &item.Applied); err != nil {
			return nil, fmt.Errorf("read items of %s: %w", target, err)
		}
		items = append(items, item)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read items of %s: %w", target, err)
	}
	return items, nil
}
