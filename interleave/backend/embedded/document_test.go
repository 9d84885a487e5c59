package embedded

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/command"
)

var update = flag.Bool("update", false, "write the lists of docs/embedded.md anew")

// lists are all commands of the server that embedded is like: those that it does, and the others.
func lists() string {
	var done, refused []string
	for _, name := range command.Names() {
		if _, ok := handlers[name]; ok {
			done = append(done, name)
		} else {
			refused = append(refused, name)
		}
	}
	slices.Sort(done)
	slices.Sort(refused)
	return fmt.Sprintf("<!-- commands: go test ./interleave/backend/embedded -run Document -update -->\n"+
		"The %d commands that it does: %s.\n\nThe %d commands of redis-server %s that it refuses, whatever their arguments: %s.\n<!-- end of commands -->",
		len(done), strings.Join(done, ", "), len(refused), redisVersion, strings.Join(refused, ", "))
}

// docs/embedded.md names every command, done or refused.
func TestDocument(t *testing.T) {
	const file = "../../../docs/embedded.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), "<!-- commands:")
	require.True(t, ok, "no list of commands")
	_, after, ok := strings.Cut(rest, "<!-- end of commands -->")
	require.True(t, ok, "no end of the list of commands")
	want := before + lists() + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o600))
		return
	}
	require.Equal(t, want, string(text), "go test ./interleave/backend/embedded -run Document -update")
}
