package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"parley/internal/journal"
)

// conn is one connection with its prepared statements. The driver is used
// without database/sql, which would keep a goroutine for each open file.
type conn struct {
	driver.Conn
	path  string
	stmts map[string]driver.Stmt
}

// dial opens a file with these pragmas.
func dial(path string, pragmas ...string) (*conn, error) {
	q := url.Values{"_txlock": {"immediate"}}
	for _, p := range append([]string{"busy_timeout(5000)", "trusted_schema(0)"}, pragmas...) {
		q.Add("_pragma", p)
	}
	name := path
	if path != memory {
		name = "file:" + (&url.URL{Path: path}).EscapedPath()
	}
	c, err := new(sqlite.Driver).Open(name + "?" + q.Encode())
	if err != nil {
		return nil, classed(path, err)
	}
	return &conn{c, path, make(map[string]driver.Stmt)}, nil
}

const memory = ":memory:"

// classed gives the errors that callers branch on the journal's names.
func classed(path string, err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case codes.SQLITE_FULL:
		return fmt.Errorf("%w: %w", journal.ErrFull, err)
	case codes.SQLITE_CANTOPEN, codes.SQLITE_IOERR:
		if path == memory {
			return err
		}
		return errors.Join(err, cause(filepath.Dir(path)))
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", journal.ErrDamaged, err)
	}
	return err
}

// cause asks the system why SQLite, which does not tell, could neither open nor write: it does to a folder what SQLite does
// there, as many files at once. The size is that of a part of the shared memory (sqlite.org/walformat.html, 2.2).
func cause(folder string) error {
	f, err := os.CreateTemp(folder, ".probe-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 32<<10))
	defer f.Close()
	for range 3 { // the database, its log and its folder
		more, wrong := os.Open(folder)
		if err = errors.Join(err, wrong); wrong == nil {
			defer more.Close()
		}
	}
	return errors.Join(err, os.Remove(f.Name()))
}

func (c *conn) stmt(query string) (driver.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.Prepare(query)
	if err != nil {
		return nil, classed(c.path, err)
	}
	c.stmts[query] = s
	return s, nil
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}

// exec runs a statement, which is prepared once.
func (c *conn) exec(query string, args ...driver.Value) error {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	_, err = s.(driver.StmtExecContext).ExecContext(context.Background(), named(args))
	return classed(c.path, err)
}

// query calls each with every row until it returns false.
func (c *conn) query(each func([]driver.Value) bool, query string, args ...driver.Value) (err error) {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), named(args))
	if err != nil {
		return classed(c.path, err)
	}
	defer func() { err = errors.Join(err, classed(c.path, rows.Close())) }()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case err == io.EOF:
			return nil
		case err != nil:
			return classed(c.path, err)
		case !each(row):
			return nil
		}
	}
}

// script runs statements that are not worth keeping.
func (c *conn) script(text string) error {
	_, err := c.Conn.(driver.ExecerContext).ExecContext(context.Background(), strings.TrimSpace(text), nil)
	return classed(c.path, err)
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}
