package calibration

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// The values of a person's key.
const (
	OnCall  = "on"
	OffCall = "off"
)

// Rota says who is on call. Somebody has to be, always.
type Rota struct {
	rdb    redis.UniversalClient
	people []string // their keys
}

// NewRota returns the rota of some people, by their keys.
func NewRota(rdb redis.UniversalClient, people ...string) *Rota { return &Rota{rdb, people} }

// Leave takes a person off call if somebody else stays, and reports whether it
// did.
//
// Limits: it looks at everybody and then writes one key, so that two who are
// the last can both leave, each because of the other.
func (r *Rota) Leave(ctx context.Context, person string) (bool, error) {
	staying := 0
	for _, p := range r.people {
		state, err := r.rdb.Get(ctx, p).Result()
		if err != nil {
			return false, fmt.Errorf("leave %s: read %s: %w", person, p, err)
		}
		if state == OnCall && p != person {
			staying++
		}
	}
	if staying == 0 {
		return false, nil
	}
	if err := r.rdb.Set(ctx, person, OffCall, 0).Err(); err != nil {
		return false, fmt.Errorf("leave %s: write: %w", person, err)
	}
	return true, nil
}

// LeaveScript does what Leave does, inside one script.
func (r *Rota) LeaveScript(ctx context.Context, person string) (bool, error) {
	n, err := leaveScript.Run(ctx, r.rdb, append([]string{person}, r.people...), OnCall, OffCall).Int()
	if err != nil {
		return false, fmt.Errorf("leave %s: %w", person, err)
	}
	return n == 1, nil
}
