package fanout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/racebench/racebench/interleave"
)

// heartbeat is how often a worker says how many worlds it has run.
const heartbeat = 250 * time.Millisecond

// Serve is a worker: it explores the units that come in and sends out their parts, until in ends. Ran counts worlds; it is
// set to zero as they are reported.
func Serve(ctx context.Context, in io.Reader, out io.Writer, ran *atomic.Int64, explore func(context.Context, interleave.Unit) interleave.Part) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	units, broken := make(chan interleave.Unit), make(chan error, 1)
	go func() {
		defer close(units)
		defer cancel() // whoever gave the units wants no more
		d := json.NewDecoder(in)
		for {
			var u interleave.Unit
			if err := d.Decode(&u); err != nil {
				if !errors.Is(err, io.EOF) {
					broken <- fmt.Errorf("what came in is no unit: %w", err)
				}
				return
			}
			units <- u
		}
	}()
	var mu sync.Mutex
	e := json.NewEncoder(out)
	say := func(m message) error {
		mu.Lock()
		defer mu.Unlock()
		return e.Encode(m)
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-over:
				return
			case <-beat.C:
				if n := ran.Swap(0); n > 0 && say(message{Ran: int(n)}) != nil {
					cancel() // nobody listens
					return
				}
			}
		}
	}()
	for u := range units {
		p := explore(ctx, u)
		if n := ran.Swap(0); n > 0 {
			if err := say(message{Ran: int(n)}); err != nil {
				return err
			}
		}
		if err := say(message{Part: &p}); err != nil {
			return err
		}
	}
	select {
	case err := <-broken:
		return err
	default:
		return nil
	}
}
