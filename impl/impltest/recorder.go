package impltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Recorder is a hook that notes every command of a client.
type Recorder struct {
	mu       sync.Mutex
	commands [][]string
}

var _ redis.Hook = (*Recorder)(nil)

// Record adds a recorder to the client.
func Record(client *redis.Client) *Recorder {
	r := &Recorder{}
	client.AddHook(r)
	return r
}

// Take returns the commands since the last Take, each as its words.
func (r *Recorder) Take() [][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	commands := r.commands
	r.commands = nil
	return commands
}

// TakeNames is Take with the name and first key of each command only.
func (r *Recorder) TakeNames() []string {
	var names []string
	for _, words := range r.Take() {
		names = append(names, strings.Join(words[:min(2, len(words))], " "))
	}
	return names
}

func (r *Recorder) note(cmd redis.Cmder) {
	words := make([]string, 0, len(cmd.Args()))
	for _, arg := range cmd.Args() {
		words = append(words, fmt.Sprint(arg))
	}
	words[0] = strings.ToUpper(words[0])
	if slices.Contains([]string{"HELLO", "CLIENT"}, words[0]) { // the handshake of a new connection
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands = append(r.commands, words)
}

// DialHook leaves dialling alone.
func (r *Recorder) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook notes a single command.
func (r *Recorder) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		r.note(cmd)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook notes each command of a pipeline, after the word PIPELINE.
func (r *Recorder) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if !handshake(cmds) {
			r.mu.Lock()
			r.commands = append(r.commands, []string{"PIPELINE"})
			r.mu.Unlock()
		}
		for _, cmd := range cmds {
			r.note(cmd)
		}
		return next(ctx, cmds)
	}
}

func handshake(cmds []redis.Cmder) bool {
	return !slices.ContainsFunc(cmds, func(cmd redis.Cmder) bool {
		return !slices.Contains([]string{"hello", "client"}, cmd.Name())
	})
}
