package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// CheckActor says what is wrong with an actor's name, or nothing.
func CheckActor(name string) error {
	switch {
	case name == "":
		return errors.New("an actor needs a name")
	case name == "run":
		return errors.New(`"run" is reserved for "run 30s": an actor cannot have this name`)
	case !isLetter(name[0]) && name[0] != '_':
		return fmt.Errorf("actor %q: a name begins with a letter or _", name)
	}
	for i := range len(name) {
		if !isWordByte(name[i]) {
			return fmt.Errorf("actor %q: a name has only letters, digits, _ and - (ASCII)", name)
		}
	}
	return nil
}

// CheckServer says what is wrong with the name of a server, or nothing.
func CheckServer(name string) error {
	if name == "" {
		return errors.New("a server needs a name")
	}
	if !isLetter(name[0]) && name[0] != '_' {
		return fmt.Errorf("server %q: a name begins with a letter or _", name)
	}
	for i := range len(name) {
		if !isWordByte(name[i]) {
			return fmt.Errorf("server %q: a name has only letters, digits, _ and - (ASCII)", name)
		}
	}
	return nil
}

// Validate says what keeps a schedule that was built in code from being printed and read back, or nothing.
func (s Schedule) Validate() error {
	if len(s) > MaxTokens {
		return fmt.Errorf("%d tokens, more than the %d allowed", len(s), MaxTokens)
	}
	var clock time.Duration
	for i, t := range s {
		if err := t.Validate(); err != nil {
			return fmt.Errorf("token %d: %w", i+1, err)
		}
		if t.Duration > MaxClock-clock {
			return fmt.Errorf("token %d: the clock moves of this schedule exceed %s together", i+1, formatDuration(MaxClock))
		}
		clock += t.Duration
	}
	return nil
}

// Validate says what keeps a token that was built in code from being printed and read back, or nothing. Fields that its
// kind does not use must be zero.
func (t Token) Validate() error {
	used := Token{Kind: t.Kind, Pos: t.Pos}
	if Op <= t.Kind && t.Kind <= Deliver {
		if err := CheckActor(t.Actor); err != nil {
			return err
		}
		used.Actor = t.Actor
	}
	if serverKind(t.Kind) && t.Server != "" {
		if err := CheckServer(t.Server); err != nil {
			return err
		}
		used.Server = t.Server
	}
	switch t.Kind {
	case Op:
		used.Match, used.Fault = t.Match, t.Fault
		if t.Match.Command == "" && len(t.Match.Keys) > 0 {
			return fmt.Errorf("%s: keys need a command", t)
		}
		if err := t.checkFault(); err != nil {
			return err
		}
	case Until:
		used.Match = Match{Command: t.Match.Command, Server: t.Match.Server, Keys: t.Match.Keys}
		if t.Match.Command == "" {
			return fmt.Errorf("%s: until needs a command; drain has none", t)
		}
	case Arrive:
		used.Match.Nth = t.Match.Nth
	case Deliver:
		used.Match.Nth, used.Key, used.Fault = t.Match.Nth, t.Key, t.Fault
		if t.Fault != NoFault && t.Fault != Drop {
			return fmt.Errorf("%s: the only fault of a delivery is !drop", t)
		}
	case Advance, Run:
		used.Duration = t.Duration
		if t.Duration <= 0 || t.Duration > MaxClock {
			return fmt.Errorf("%s: the clock moves by more than zero and at most %s", t, formatDuration(MaxClock))
		}
	case Failover:
		used.N = t.N
		if t.N < 1 || t.N > MaxN {
			return fmt.Errorf("%s: failover loses 1 to %d writes", t, MaxN)
		}
	case Evict:
		used.Key = t.Key
	case Drain, Restart, FlushScripts:
	default:
		return fmt.Errorf("kind %d does not exist", t.Kind)
	}
	if !used.Equal(t) {
		return fmt.Errorf("%s: a field is set that %s does not use", t, t.Kind)
	}
	return t.Match.validate()
}

func (t Token) checkFault() error {
	switch named := t.Match.Command != ""; {
	case t.Fault == CrashBefore && named:
		return fmt.Errorf("%s: CrashBefore names no command; CrashAfter does", t)
	case t.Fault == CrashBefore && t.Match.Position() > 1:
		return fmt.Errorf("%s: CrashBefore ends the whole actor and takes no position", t)
	case t.Fault == CrashBefore && t.Match.Server != "":
		return fmt.Errorf("%s: CrashBefore ends the whole actor and takes no server", t)
	case t.Match.Command == Point && t.Fault != NoFault && t.Fault != CrashAfter:
		return fmt.Errorf("%s: a point is inside the process and has no fault but a crash", t)
	case t.Fault == CrashAfter && !named:
		return fmt.Errorf("%s: CrashAfter needs a command; CrashBefore has none", t)
	case t.Fault < NoFault || t.Fault > Late:
		return fmt.Errorf("%s: an operation cannot have this fault", t)
	}
	return nil
}

func (m Match) validate() error {
	if m.Nth < 0 || m.Nth > MaxN {
		return fmt.Errorf("position %d is not from 1 to %d", m.Nth, MaxN)
	}
	if m.Server != "" {
		if err := CheckServer(m.Server); err != nil {
			return err
		}
	}
	switch m.Command {
	case "":
		return nil
	case Point:
		switch {
		case m.Server != "":
			return fmt.Errorf("a point has no server")
		case len(m.Keys) > 1 || len(m.Keys) == 1 && m.Keys[0] == "":
			return fmt.Errorf("a point has one label")
		}
		return nil
	}
	if !isLetter(m.Command[0]) || strings.ToUpper(m.Command) != m.Command {
		return fmt.Errorf("command %q is not an upper-case word", m.Command)
	}
	for i := range len(m.Command) {
		if !isWordByte(m.Command[i]) {
			return fmt.Errorf("command %q has more than letters, digits, _ and -", m.Command)
		}
	}
	if hint := nearReserved(m.Command); hint != "" {
		return fmt.Errorf("no command is called %q%s", m.Command, hint)
	}
	return nil
}
