package lua_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	headerKey  = regexp.MustCompile(`^-- KEYS\[(\d)\] -> \S`)
	headerArg  = regexp.MustCompile(`^-- ARGV\[(\d)\] -> \S`)
	headerCode = regexp.MustCompile(`^--   \{"(\w+)", .*\S`)
	bodyInput  = regexp.MustCompile(`(KEYS|ARGV)\[(\d)\]`)
	bodyCode   = regexp.MustCompile(`(?:return|reply =) \{'(\w+)'`)
)

// sameClock are the scripts that read the server's clock for the reason that enter.lua or
// queue_claim.lua gives.
var sameClock = map[string]bool{"renew": true, "leave": true, "queue_settle": true, "queue_stale": true}

// Every script says what it takes and returns, and the header is true: the
// inputs and the codes of the body are those of the header.
func TestScriptHeaders(t *testing.T) {
	files, err := filepath.Glob("*.lua")
	require.NoError(t, err)
	require.Len(t, files, 13)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			header, body, found := strings.Cut(string(source), "\n\n")
			require.True(t, found, "an empty line ends the header")
			name := strings.TrimSuffix(file, ".lua")
			assert.True(t, strings.HasPrefix(header, "-- "+name+": "), "the first line names the script")

			inputs, codes := map[string]bool{}, map[string]bool{}
			for _, line := range strings.Split(header, "\n") {
				require.True(t, strings.HasPrefix(line, "--"), "header line %q", line)
				if m := headerKey.FindStringSubmatch(line); m != nil {
					inputs["KEYS"+m[1]] = true
				}
				if m := headerArg.FindStringSubmatch(line); m != nil {
					inputs["ARGV"+m[1]] = true
				}
				if m := headerCode.FindStringSubmatch(line); m != nil {
					codes[m[1]] = true
				}
			}
			bodyInputs, bodyCodes := map[string]bool{}, map[string]bool{}
			for _, m := range bodyInput.FindAllStringSubmatch(body, -1) {
				bodyInputs[m[1]+m[2]] = true
			}
			for _, m := range bodyCode.FindAllStringSubmatch(body, -1) {
				bodyCodes[m[1]] = true
			}
			assert.Equal(t, bodyInputs, inputs, "inputs used and listed")
			assert.Equal(t, bodyCodes, codes, "codes returned and listed")
			assert.Equal(t, strings.Contains(header, "Why TIME:") || sameClock[name], strings.Contains(body, "'TIME'"), "whose clock it is")
		})
	}
}

// A script's source crosses the wire once; its keys are of one hash tag.
func TestScriptsGoByHash(t *testing.T) {
	t.Parallel()
	for _, backend := range impltest.Backends(t) {
		t.Run(backend.Name, func(t *testing.T) {
			b := impltest.NewBench(t, backend.Open(t), newJobs, impl.JobsConfig{})
			require.NoError(t, b.Redis.ScriptFlush(t.Context()).Err())
			cycle := func() (names []string) {
				b.Recorder.Take()
				job := b.Start(t)
				b.Finish(t, job)
				_, err := b.Jobs.Apply(t.Context(), job, b.DB)
				require.NoError(t, err)
				for _, words := range b.Recorder.Take() {
					names = append(names, words[0])
					assertOneTag(t, words)
				}
				return names
			}
			both := []string{"EVALSHA", "EVAL"}
			assert.Equal(t, append(append(append(append([]string{}, both...), both...), "EVALSHA", "EVALSHA"),
				"EVALSHA", "EVAL", "EVALSHA", "EVAL"), cycle(), "first use of the four scripts")
			assert.Equal(t, []string{"EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA"}, cycle())
		})
	}
}

// assertOneTag checks the keys of EVALSHA hash numkeys key… and of EVAL.
func assertOneTag(t *testing.T, words []string) {
	t.Helper()
	keys := words[3 : 3+int(words[2][0]-'0')]
	require.NotEmpty(t, keys)
	for _, key := range keys {
		assert.Contains(t, key, "{doc-1}")
	}
}

// A free target costs one call, a taken one two: the second names the job met.
func TestStartNamesTheJobItHasSeen(t *testing.T) {
	b := impltest.NewBench(t, impltest.OpenMini(t), newJobs, impl.JobsConfig{})
	b.Start(t)
	b.Recorder.Take()
	acquired, err := b.Jobs.Start(t.Context(), impltest.Target, impltest.Total)
	require.NoError(t, err)
	assert.True(t, acquired.Reused)
	commands := b.Recorder.Take()
	require.Len(t, commands, 2)
	assert.Equal(t, []string{"job:{doc-1}:running", "job:{doc-1}:j2", "job:{doc-1}:j2"}, commands[0][3:6])
	assert.Equal(t, []string{"job:{doc-1}:running", "job:{doc-1}:j2", "job:{doc-1}:j1"}, commands[1][3:6])
}
