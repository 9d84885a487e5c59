package interleave

import (
	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/wire"
)

// ask executes a command on a connection of the scheduler's own and returns the reply as RESP2.
func (e *engine) ask(db int, args ...string) (wire.Value, error) {
	if err := e.syncClock(); err != nil {
		return wire.Value{}, err
	}
	c, err := e.side(2, db)
	if err != nil {
		return wire.Value{}, err
	}
	raw, err := c.Do(args)
	if err != nil {
		return wire.Value{}, err
	}
	v, _, err := wire.Parse(raw)
	return v, err
}

// askAll is ask for several commands that only read, in one round trip where the backend can.
func (e *engine) askAll(db int, cmds [][]string) ([]wire.Value, error) {
	values := make([]wire.Value, len(cmds))
	c, err := e.side(2, db)
	if err != nil {
		return nil, err
	}
	if b, ok := c.(backend.Batcher); ok && len(cmds) > 1 {
		if err := e.syncClock(); err != nil {
			return nil, err
		}
		raw, ok, err := b.DoAll(cmds)
		if err != nil {
			return nil, err
		}
		if ok {
			for i := range raw {
				if values[i], _, err = wire.Parse(raw[i]); err != nil {
					return nil, err
				}
			}
			return values, nil
		}
	}
	for i, args := range cmds {
		if values[i], err = e.ask(db, args...); err != nil {
			return nil, err
		}
	}
	return values, nil
}
