package interleave_test

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// each adds n actors that do the same.
func each(n int, do func(*interleave.Actor) error) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, name := range names(n) {
			w.Actor(name, do)
		}
	}
}

func increments(a *interleave.Actor) error { return a.Redis().Incr(ctx, "n").Err() }

func readAndWrite(a *interleave.Actor) error {
	v, err := a.Redis().Get(ctx, "n").Int()
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	return a.Redis().Set(ctx, "n", v+1, 0).Err()
}

// optimistic is readAndWrite that is tried again until nobody came in between.
func optimistic(a *interleave.Actor) error {
	for {
		err := a.Redis().Watch(ctx, func(tx *redis.Tx) error {
			v, err := tx.Get(ctx, "n").Int()
			if err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
			_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error { p.Set(ctx, "n", v+1, 0); return nil })
			return err
		}, "n")
		if !errors.Is(err, redis.TxFailedErr) {
			return err
		}
	}
}

func drawn() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// start is the duplicate acquire, with ids that are drawn.
func start(claim bool) func(*interleave.Actor) error {
	return func(a *interleave.Actor) error {
		id := drawn()
		if claim {
			ok, err := a.Redis().SetNX(ctx, "running", id, 0).Result()
			if err != nil || !ok {
				return err
			}
		} else {
			met, err := a.Redis().Get(ctx, "running").Result()
			if err == nil {
				a.Note("met", met)
				return nil
			}
		}
		if err := a.Redis().HSet(ctx, "job:"+id, "status", "RUNNING", "by", a.Name()).Err(); err != nil {
			return err
		}
		a.Note("made", id)
		if claim {
			return nil
		}
		return a.Redis().Set(ctx, "running", id, 0).Err()
	}
}

func TestSerialOracle(t *testing.T) {
	type want struct{ state, replies int } // orders that are equivalent to no serial one
	for _, tt := range []struct {
		name      string
		world     func(*interleave.World)
		want      want
		different string
	}{
		{"lost update", each(2, readAndWrite), want{2, 2}, "n = 1 at the end"},
		{"lost update of three", each(3, readAndWrite), want{30, 30}, "n = 2 at the end"},
		{"increments", each(3, increments), want{}, ""},
		{"what was read in an aborted transaction", each(2, optimistic), want{}, ""},
		{"drawn ids, looked for", each(2, start(false)), want{2, 2}, "job:A#1 = {by: A, status: RUNNING} at the end, and job:B#1 = {by: B, status: RUNNING} at the end"},
		{"drawn ids, claimed", each(3, start(true)), want{}, ""},
		{"drawn ids among one another", each(3, func(a *interleave.Actor) error {
			id := drawn()
			a.Redis().SAdd(ctx, "set", id)
			a.Redis().HSet(ctx, "hash", id, a.Name())
			return a.Redis().ZAdd(ctx, "scores", redis.Z{Score: 1, Member: id}).Err()
		}), want{}, ""},
		{"a word that is not drawn where others are", each(2, func(a *interleave.Actor) error {
			id := "id-of-" + drawn()
			a.Redis().Set(ctx, "job:"+id, 1, 0)
			v, _ := a.Redis().Get(ctx, "job:counter").Int()
			return a.Redis().Set(ctx, "job:counter", v+1, 0).Err()
		}), want{2, 2}, "job:counter = 1 at the end"},
		{"torn read", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				a.Redis().Set(ctx, "x", 1, 0)
				return a.Redis().Set(ctx, "y", 1, 0).Err()
			})
			w.Actor("B", func(a *interleave.Actor) error {
				a.Redis().Get(ctx, "y")
				a.Redis().Get(ctx, "x")
				return nil
			})
		}, want{0, 1}, "B is told GET → nil, and B is told GET → 1"},
		{"write skew", func(w *interleave.World) {
			for name, keys := range map[string][2]string{"A": {"x", "y"}, "B": {"y", "x"}} {
				w.Actor(name, func(a *interleave.Actor) error {
					if a.Redis().Exists(ctx, keys[0]).Val() == 1 {
						return nil
					}
					return a.Redis().Set(ctx, keys[1], 1, 0).Err()
				})
			}
		}, want{1, 1}, "x = 1 at the end, and y = 1 at the end"},
		{"refusals", func(w *interleave.World) {
			each(2, func(a *interleave.Actor) error {
				if !a.Redis().SetNX(ctx, "lock", a.Name(), 0).Val() {
					a.Note("refused", "")
				}
				return nil
			})(w)
		}, want{}, ""},
		{"goroutines of one actor come in any order", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				var both sync.WaitGroup
				for _, v := range []string{"1", "2"} {
					both.Go(func() { a.Redis().RPush(ctx, "list", v) })
				}
				both.Wait()
				return nil
			})
			w.Actor("B", func(a *interleave.Actor) error { return a.Redis().RPush(ctx, "list", "3").Err() })
		}, want{2, 2}, "list = [1, 3, 2] at the end"},
		{"a daemon works for whoever comes", func(w *interleave.World) {
			w.Actor("worker", func(a *interleave.Actor) error {
				for {
					if err := a.Redis().BLPop(a.Context(), 0, "queue").Err(); err != nil {
						return nil
					}
					a.Redis().Incr(ctx, "done")
				}
			}, interleave.Daemon())
			each(2, func(a *interleave.Actor) error { return a.Redis().RPush(ctx, "queue", a.Name()).Err() })(w)
		}, want{}, ""},
		{"times are no difference", func(w *interleave.World) {
			each(2, func(a *interleave.Actor) error {
				for range 2 {
					time.Sleep(time.Minute)
					a.Redis().Set(ctx, "at:"+a.Name(), time.Now().UnixMilli(), time.Hour)
				}
				return a.Redis().Incr(ctx, "n").Err()
			})(w)
		}, want{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for level, want := range map[interleave.SerialLevel]int{interleave.SerialState: tt.want.state, interleave.SerialReplies: tt.want.replies} {
				r := open(t, interleave.SerialOracle(level))
				x := r.Explore(ctx, tt.world)
				require.NoError(t, x.Err)
				require.True(t, x.Complete)
				require.Equal(t, interleave.Held, x.Outcome(), "a hint changes no verdict")
				require.Empty(t, x.Serial.Why)
				require.Equal(t, x.Orders, x.Serial.Compared)
				require.Positive(t, x.Serial.Orders)
				require.Equal(t, want, x.Serial.NotSerial, "%s: %s", level, x.Serial)
				if want == 0 {
					require.Nil(t, x.Serial.First)
					continue
				}
				require.Contains(t, x.Serial.Different, tt.different)
				require.NotEmpty(t, x.Serial.First.Trace.Steps[0].Caller, "run again for everything in it")
			}
		})
	}
}

// TestSerialOrders: how many there are, and which are impossible.
func TestSerialOrders(t *testing.T) {
	waits := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return a.Redis().BLPop(ctx, 0, "queue").Err() })
		w.Actor("B", func(a *interleave.Actor) error { return a.Redis().RPush(ctx, "queue", "job").Err() })
	}
	x := open(t, interleave.SerialOracle(interleave.SerialReplies)).Explore(ctx, waits)
	require.Equal(t, 1, x.Serial.Orders)
	require.Equal(t, 1, x.Serial.Impossible)
	require.Contains(t, x.Serial.Waits, "A, then B: A waits in BLPOP queue 0")
	require.Zero(t, x.Serial.NotSerial)
	require.Contains(t, x.Serial.String(), "1 serial orders are impossible: A, then B")

	x = open(t, interleave.SerialOracle(interleave.SerialState)).Explore(ctx, each(4, increments))
	require.Equal(t, [2]int{24, 1}, [2]int{x.Serial.Orders, x.Serial.Outcomes})

	// Each waits for the other.
	x = open(t, interleave.SerialOracle(interleave.SerialState)).Explore(ctx, func(w *interleave.World) {
		for _, keys := range [][3]string{{"A", "a", "b"}, {"B", "b", "a"}} {
			w.Actor(keys[0], func(a *interleave.Actor) error {
				a.Redis().RPush(ctx, keys[1], 1)
				return a.Redis().BLPop(ctx, 0, keys[2]).Err()
			})
		}
	})
	require.Equal(t, interleave.Held, x.Outcome(), "%s", x)
	require.Contains(t, x.Serial.Why, "no serial order is possible: A, then B: A waits in BLPOP b 0")
	require.Zero(t, x.Serial.Compared)
}

// TestNothingToCompareWith: where the serial orders say nothing, nothing is said.
func TestNothingToCompareWith(t *testing.T) {
	for _, tt := range []struct {
		why   string
		world func(*interleave.World)
	}{
		{"7 actors have more serial orders than are run (at most 6 actors)", func(w *interleave.World) {
			for i := range 7 {
				w.Actor("A"+itoa(i), func(a *interleave.Actor) error { return a.Redis().Get(ctx, "n").Err() })
			}
		}},
		{"the same serial order, run twice, came to different things: ", each(2, func(a *interleave.Actor) error {
			return a.Redis().Set(ctx, a.Name(), strconv.Itoa(mathrand.IntN(1 << 30))[:3], 0).Err() // too short for a name
		})},
		{"the same serial order, run twice, had", func() func(*interleave.World) {
			var n atomic.Int64 // worlds share it, which they must not
			return each(2, func(a *interleave.Actor) error {
				if n.Add(1)%3 == 0 {
					a.Redis().Incr(ctx, "more")
				}
				return a.Redis().Incr(ctx, "n").Err()
			})
		}()},
		{"a serial order could not be run: ", each(2, func(a *interleave.Actor) error { panic("no") })},
	} {
		r := open(t, interleave.SerialOracle(interleave.SerialReplies), interleave.MaxExecutions(3))
		x := r.Explore(ctx, tt.world)
		require.Contains(t, x.Serial.Why, tt.why)
		require.True(t, strings.HasPrefix(x.Serial.String(), "serial oracle: nothing compared: "), x.Serial.String())
		require.Zero(t, x.Serial.NotSerial)
		require.Zero(t, x.Serial.Compared)
	}
	_, err := interleave.Open(interleave.SerialOracle("everything"))
	require.EqualError(t, err, `interleave: no serial level "everything" (have state, replies)`)
}

// TestSerialOracleInParts: what units find adds up.
func TestSerialOracleInParts(t *testing.T) {
	world := each(3, readAndWrite)
	whole := open(t, interleave.SerialOracle(interleave.SerialState)).Explore(ctx, world).Serial
	parts := open(t, interleave.SerialOracle(interleave.SerialState)).ExploreParts(ctx, world).Serial
	require.Equal(t, [4]int{36, 30, 6, 1}, [4]int{whole.Compared, whole.NotSerial, whole.Orders, whole.Outcomes})
	require.GreaterOrEqual(t, parts.Compared, whole.Compared)
	require.Equal(t, parts.Compared-whole.Compared, parts.NotSerial-whole.NotSerial, "units may run an order more, none of them serial")
	require.Equal(t, [2]int{6, 1}, [2]int{parts.Orders, parts.Outcomes})
	require.NotNil(t, parts.First)
	require.Equal(t, "n = 2 at the end", parts.Different)
}

// TestSerialOracleIsDeterministic: also where ids are drawn.
func TestSerialOracleIsDeterministic(t *testing.T) {
	say := func() string {
		x := open(t, interleave.SerialOracle(interleave.SerialReplies)).Explore(ctx, each(3, start(false)))
		return fmt.Sprint(x.Serial.String(), x.Serial.First.Trace.Schedule())
	}
	require.Equal(t, say(), say())
}
