package embedded

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
)

// epoch is when virtual time begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// side is one of the two servers that are compared.
type side struct {
	srv   backend.Server
	conns []backend.Conn
	admin backend.Conn
}

func (s *side) reset(t require.TestingT, conns int) {
	require.NoError(t, s.srv.Reset(epoch))
	s.conns = nil
	open := func() backend.Conn {
		c, err := s.srv.Open()
		require.NoError(t, err)
		return c
	}
	for range conns {
		s.conns = append(s.conns, open())
	}
	s.admin = open()
}

// pair runs the same on both sides.
type pair struct {
	ours, real side
	now        time.Time
	multi      []bool // which connections are in a transaction
	queued     [connections][]string
	refused    map[string]int
	executed   map[string]int
	log        []string
}

func newPair(t *testing.T) *pair {
	real := startReal(t)
	ours, err := Open(backend.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { ours.Close() })
	return &pair{ours: side{srv: ours}, real: side{srv: real}, refused: map[string]int{}, executed: map[string]int{}}
}

const connections = 3

// everyKey is every word that may be a key.
var everyKey = append(append(append([]string{"f1", "f2", "a", "b", "c", "d", "two words"}, allKeys...), junk...), words["badn"]...)

func (p *pair) reset(t require.TestingT) {
	p.ours.reset(t, connections)
	p.real.reset(t, connections)
	p.now, p.log = epoch, nil
	p.multi = make([]bool, connections)
}

// errStop ends a run without a verdict: embedded refused something after it had begun to act.
var errStop = errors.New("refused")

// step executes one command on both and compares what it answers and what is pushed.
func (p *pair) step(c int, args []string) error {
	info, known := command.Lookup(args)
	name := args[0]
	if known {
		name = info.Name
	}
	if known && info.Flags.Has(command.Blocking) && !p.multi[c] {
		for _, line := range [][]string{{"MULTI"}, args, {"EXEC"}} { // as the scheduler does
			if err := p.step(c, line); err != nil || !p.multi[c] {
				return err
			}
		}
		return nil
	}
	if skip := p.random(c, name, args); skip {
		return nil
	}
	p.log = append(p.log, fmt.Sprintf("%d %q", c, args))
	got, err := p.ours.conns[c].Do(args)
	var refused *backend.RefusedError
	if errors.As(err, &refused) {
		p.refused[name+": "+refused.Reason]++
		p.log[len(p.log)-1] += " refused: " + refused.Reason
		if name == "EXEC" || strings.HasPrefix(name, "EVAL") {
			return errStop
		}
		return nil
	}
	if err != nil {
		return err
	}
	want, err := p.real.conns[c].Do(args)
	if err != nil {
		return err
	}
	p.log[len(p.log)-1] += fmt.Sprintf(" -> %q", want)
	p.executed[name]++
	compare := normal
	if name == "EXEC" {
		compare = func(_ string, raw []byte) string { return normalExec(p.queued[c], raw) }
	}
	if strings.HasPrefix(name, "EVAL") && strings.Contains(string(want), "*") && strings.Contains(fmt.Sprint(args), "SMEMBERS") {
		name = "EVAL that lists a set"
	}
	if compare(name, got) != compare(name, want) {
		return fmt.Errorf("real %q, embedded %q", compare(name, want), compare(name, got))
	}
	if string(want) == "+QUEUED\r\n" {
		p.queued[c] = append(p.queued[c], name)
	} else if name == "MULTI" && p.multi[c] == false {
		p.queued[c] = nil
	}
	switch {
	case strings.HasPrefix(string(want), "+OK") && name == "MULTI":
		p.multi[c] = true
	case name == "EXEC" || name == "DISCARD" || name == "RESET":
		p.multi[c] = p.real.conns[c].(*realConn).multi
	}
	return p.pushes()
}

// random tells whether a command would have to choose among several, which can't be compared.
func (p *pair) random(c int, name string, args []string) bool {
	ask := func(line ...string) int64 {
		raw, _ := p.ours.admin.Do(line)
		v, _, _ := wire.Parse(raw)
		return v.Int
	}
	switch name {
	case "QUIT":
		return true // tested apart
	case "CLIENT ID":
		return p.multi[c]
	case "SCAN": // with more keys than COUNT each server has its own cursors; TestScan is about that
		return !slices.Contains(args, "1000") && (p.multi[c] || ask("DBSIZE") > 4)
	case "SPOP", "SRANDMEMBER":
		if p.multi[c] || len(args) < 2 {
			return p.multi[c]
		}
		for db := range 2 {
			ask("SELECT", fmt.Sprint(db))
			if n := ask("SCARD", args[1]); n > 1 && !(len(args) == 3 && args[2] == "10") {
				ask("SELECT", "0")
				return true
			}
		}
		ask("SELECT", "0")
	case "RANDOMKEY":
		return p.multi[c] || ask("DBSIZE") > 1
	}
	return false
}

// pushes compares what pub/sub has delivered to every connection.
func (p *pair) pushes() error {
	for c := range connections {
		got, err := p.ours.conns[c].Pushes()
		if err != nil {
			return err
		}
		want, err := p.real.conns[c].Pushes()
		if err != nil {
			return err
		}
		if sortedFrames(got) != sortedFrames(want) {
			return fmt.Errorf("pushed to %d: real %q, embedded %q", c, want, got)
		}
	}
	return nil
}

// sortedFrames puts frames in order: a message that matches several patterns comes in an order that no server promises.
func sortedFrames(raw []byte) string {
	var frames []string
	for len(raw) > 0 {
		n, err := wire.FrameLen(raw)
		if err != nil || n == 0 {
			break
		}
		frames, raw = append(frames, string(raw[:n])), raw[n:]
	}
	sort.Strings(frames)
	return strings.Join(frames, "") + string(raw)
}

// move moves both clocks. A server drops expired keys when it comes across them; here it has to.
func (p *pair) move(d time.Duration) error {
	p.now = p.now.Add(d)
	p.log = append(p.log, fmt.Sprintf("+%v", d))
	for _, s := range []*side{&p.ours, &p.real} {
		if err := s.srv.SetClock(p.now); err != nil {
			return err
		}
		for _, db := range []string{"1", "0"} {
			if _, err := s.admin.Do([]string{"SELECT", db}); err != nil {
				return err
			}
			if _, err := s.admin.Do(append([]string{"EXISTS"}, everyKey...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// state compares all keys: type, time to live and value.
func (p *pair) state() error {
	for _, db := range []string{"1", "0"} {
		lines := [][]string{{"SELECT", db}, {"DBSIZE"}, {"KEYS", "*"}}
		for _, key := range allKeys {
			raw, err := p.real.admin.Do([]string{"TYPE", key})
			if err != nil {
				return err
			}
			lines = append(lines, []string{"TYPE", key}, []string{"PTTL", key}, []string{"PEXPIRETIME", key})
			if read := readers[strings.Trim(string(raw), "+\r\n")]; read != "" {
				lines = append(lines, strings.Split(fmt.Sprintf(read, key), " "))
			}
		}
		for _, line := range lines {
			got, err := p.ours.admin.Do(line)
			if err != nil {
				return err
			}
			want, err := p.real.admin.Do(line)
			if err != nil {
				return err
			}
			if normal(line[0], got) != normal(line[0], want) {
				return fmt.Errorf("state, db %s, %q: real %q, embedded %q", db, line, want, got)
			}
		}
	}
	return nil
}

var readers = map[string]string{"string": "GET %s", "hash": "HGETALL %s", "list": "LRANGE %s 0 -1", "set": "SMEMBERS %s",
	"zset": "ZRANGE %s 0 -1 WITHSCORES", "stream": "XRANGE %s - +"}

// normal is a reply for comparison: byte for byte, but what comes in no order is sorted and ids are blanked.
func normal(name string, raw []byte) string {
	switch name {
	case "SMEMBERS", "SINTER", "SUNION", "SDIFF", "KEYS", "SPOP", "SCAN", "SSCAN", "UNSUBSCRIBE", "PUNSUBSCRIBE", "PUBSUB CHANNELS",
		"EVAL that lists a set":
		parts := strings.Split(string(raw), "\r\n")
		sort.Strings(parts)
		return strings.Join(parts, " ")
	case "CLIENT ID":
		return "id"
	case "HELLO":
		vs, err := wire.ParseAll(raw)
		if err != nil || len(vs[0].Elems) < 8 {
			return string(raw)
		}
		vs[0].Elems[7] = wire.Value{}
		return string(raw[:1]) + vs[0].String()
	}
	return string(raw)
}

// normalExec is the reply to EXEC, each part for comparison as its command has it.
func normalExec(names []string, raw []byte) string {
	if raw[0] != '*' || raw[1] == '-' {
		return string(raw)
	}
	head, rest, _ := strings.Cut(string(raw), "\r\n")
	parts := []string{head}
	for _, name := range names {
		n, err := wire.FrameLen([]byte(rest))
		if err != nil || n == 0 {
			return string(raw)
		}
		parts = append(parts, normal(name, []byte(rest[:n])))
		rest = rest[n:]
	}
	return strings.Join(parts, "\n") + rest
}

// TestDifferential is the proof: random programs over several connections, on embedded and on a real server.
func TestDifferential(t *testing.T) {
	p := newPair(t)
	rapid.Check(t, func(t *rapid.T) { p.program(t, templates) })
	t.Logf("executed %d kinds of commands; refused:", len(p.executed))
	for reason, n := range p.refused {
		t.Logf("%5d %s", n, reason)
	}
}

// program draws and runs one program.
func (p *pair) program(t *rapid.T, templates []string) {
	p.reset(t)
	fail := func(err error) {
		t.Fatalf("%v\n%s", err, strings.Join(p.log, "\n"))
	}
	for c := range connections {
		if rapid.Bool().Draw(t, "RESP3") {
			if err := p.step(c, []string{"HELLO", "3"}); err != nil {
				fail(err)
			}
		}
	}
	if rapid.Bool().Draw(t, "filled") {
		for _, line := range filling {
			if err := p.step(0, strings.Fields(line)); err != nil {
				fail(err)
			}
		}
	}
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		if rapid.IntRange(0, 9).Draw(t, "what") == 0 {
			d := rapid.SampledFrom([]time.Duration{time.Millisecond, 500 * time.Microsecond, 10 * time.Millisecond, 99 * time.Millisecond,
				time.Second, 1500 * time.Millisecond, time.Minute}).Draw(t, "move")
			if err := p.move(d); err != nil {
				fail(err)
			}
			continue
		}
		c := rapid.IntRange(0, connections-1).Draw(t, "conn")
		err := p.step(c, drawLine(t, templates))
		if err == errStop {
			return
		}
		if err != nil {
			fail(err)
		}
	}
	if err := p.state(); err != nil {
		fail(err)
	}
}

// TestAllowListIsDrawn asserts that what is allowed is what is proven.
func TestAllowListIsDrawn(t *testing.T) {
	drawn := map[string]bool{}
	for _, template := range templates {
		drawn[commandOf(template)] = true
	}
	for name := range handlers {
		require.True(t, drawn[name], "%s is allowed, but not drawn", name)
	}
	for name := range drawn {
		if !strings.Contains(name, "NONSENSE") {
			require.Contains(t, handlers, name, "drawn, but not allowed")
		}
	}
	require.Greater(t, len(handlers), 100)
}
