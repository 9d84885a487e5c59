package lua

import (
	"context"
	"embed"
	"fmt"

	"github.com/redis/go-redis/v9"
)

//go:embed *.lua
var sources embed.FS

// The scripts, hashed once. What each returns is said in its file.
var (
	acquireScript     = mustScript("acquire.lua")
	transitionScript  = mustScript("transition.lua")
	progressScript    = mustScript("progress.lua")
	readResultsScript = mustScript("read_results.lua")

	enterScript   = mustScript("enter.lua")
	renewScript   = mustScript("renew.lua")
	leaveScript   = mustScript("leave.lua")
	takeScript    = mustScript("take.lua")
	releaseScript = mustScript("release.lua")

	queueAddScript    = mustScript("queue_add.lua")
	queueClaimScript  = mustScript("queue_claim.lua")
	queueSettleScript = mustScript("queue_settle.lua")
	queueStaleScript  = mustScript("queue_stale.lua")
)

// The codes that scripts return as the first element of their reply.
const (
	codeDone       = "done"
	codeAcquired   = "acquired"
	codeReused     = "reused"
	codeMoved      = "moved"
	codeTaken      = "taken"
	codeAlready    = "already"
	codeRefused    = "refused"
	codeNotOwner   = "not_owner"
	codeNotFound   = "not_found"
	codeRange      = "range"
	codeIncomplete = "incomplete"
	codeLost       = "lost"
	codeKnown      = "known"
	codeEmpty      = "empty"
	codeAgain      = "again"
)

// mustScript panics only when the binary was built without the file.
func mustScript(name string) *redis.Script {
	source, err := sources.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("lua: embedded script: %v", err))
	}
	return redis.NewScript(string(source))
}

// reply is what every script returns: a code, a detail, and the rest.
type reply struct {
	code, detail string
	rest         []string
}

// run sends the script by its hash, or by its source when the server does not
// have it yet.
func run(ctx context.Context, rdb redis.UniversalClient, script *redis.Script, keys []string, args ...any) (reply, error) {
	fields, err := script.Run(ctx, rdb, keys, args...).StringSlice()
	if err != nil {
		return reply{}, err
	}
	if len(fields) < 2 {
		return reply{}, fmt.Errorf("script returned %q (want a code and a detail)", fields)
	}
	return reply{code: fields[0], detail: fields[1], rest: fields[2:]}, nil
}

// unexpected is the error for a code that the script's header does not list.
func (r reply) unexpected() error {
	return fmt.Errorf("script returned the unknown code %q with detail %q", r.code, r.detail)
}
