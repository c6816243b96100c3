package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"parley/internal/journal"
)

// conn is one connection with its prepared statements. The driver is used
// without database/sql, which would keep a goroutine for each open file.
type conn struct {
	driver.Conn
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
		return nil, classed(err)
	}
	return &conn{c, make(map[string]driver.Stmt)}, nil
}

const memory = ":memory:"

// classed gives the errors that callers branch on the journal's names.
func classed(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case codes.SQLITE_FULL:
		return fmt.Errorf("%w: %w", journal.ErrFull, err)
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", journal.ErrDamaged, err)
	}
	return err
}

func (c *conn) stmt(query string) (driver.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.Prepare(query)
	if err != nil {
		return nil, classed(err)
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
	return classed(err)
}

// query calls each with every row until it returns false.
func (c *conn) query(each func([]driver.Value) bool, query string, args ...driver.Value) (err error) {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), named(args))
	if err != nil {
		return classed(err)
	}
	defer func() { err = errors.Join(err, classed(rows.Close())) }()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case err == io.EOF:
			return nil
		case err != nil:
			return classed(err)
		case !each(row):
			return nil
		}
	}
}

// script runs statements that are not worth keeping.
func (c *conn) script(text string) error {
	_, err := c.Conn.(driver.ExecerContext).ExecContext(context.Background(), strings.TrimSpace(text), nil)
	return classed(err)
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}
