package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the type of a Value: the first byte of its frame on the wire.
type Kind byte

// The kinds of RESP2 and RESP3. A RESP2 null, bulk or array, is Null as well.
const (
	Simple   Kind = '+'
	Error    Kind = '-'
	Int      Kind = ':'
	Bulk     Kind = '$'
	Array    Kind = '*'
	Null     Kind = '_'
	Bool     Kind = '#'
	Double   Kind = ','
	Big      Kind = '('
	BulkErr  Kind = '!'
	Verbatim Kind = '='
	Map      Kind = '%'
	Set      Kind = '~'
	Push     Kind = '>'
)

// Value is one reply of a server.
type Value struct {
	Kind  Kind
	Str   string  // text of Simple, Error, Bulk, Double, Big, BulkErr, Verbatim (without its format), Bool ("t" or "f")
	Int   int64   // value of Int
	Elems []Value // of Array, Set, Push, and of Map as key, value, key, value
}

// Parse reads the frame at the start of b and returns the bytes used; n = 0 with a nil error means incomplete.
// Attributes are passed over.
func Parse(b []byte) (v Value, n int, err error) {
	n, err = FrameLen(b)
	if n == 0 || err != nil {
		return Value{}, 0, err
	}
	v, _ = parse(b, 0)
	return v, n, nil
}

// ParseAll reads every frame in b, which must end with a whole one.
func ParseAll(b []byte) ([]Value, error) {
	var vs []Value
	for len(b) > 0 {
		v, n, err := Parse(b)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fmt.Errorf("%w: %d bytes of an unfinished frame", ErrProtocol, len(b))
		}
		vs = append(vs, v)
		b = b[n:]
	}
	return vs, nil
}

// parse reads a frame that skip has found whole and well formed.
func parse(b []byte, pos int) (Value, int) {
	line, next := readLine(b, pos)
	kind := Kind(b[pos])
	text := line[1:]
	switch kind {
	case Int:
		i, _ := readInt(text)
		return Value{Kind: Int, Int: i}, next
	case Null:
		return Value{Kind: Null}, next
	case Bulk, BulkErr, Verbatim:
		size, _ := readInt(text)
		if size < 0 {
			return Value{Kind: Null}, next
		}
		s := string(b[next : next+int(size)])
		if kind == Verbatim && len(s) >= 4 {
			s = s[4:]
		}
		return Value{Kind: kind, Str: s}, next + int(size) + 2
	case Array, Set, Push, Map:
		count, _ := readInt(text)
		if count < 0 {
			return Value{Kind: Null}, next
		}
		if kind == Map {
			count *= 2
		}
		v := Value{Kind: kind, Elems: make([]Value, count)}
		for i := range v.Elems {
			v.Elems[i], next = parse(b, next)
		}
		return v, next
	case '|':
		count, _ := readInt(text)
		for range 2 * count {
			_, next = parse(b, next)
		}
		return parse(b, next)
	default:
		return Value{Kind: kind, Str: string(text)}, next
	}
}

// IsErr reports whether v is an error reply.
func (v Value) IsErr() bool { return v.Kind == Error || v.Kind == BulkErr }

// Text is v as a string where it has one: strings, and numbers as digits.
func (v Value) Text() string {
	if v.Kind == Int {
		return strconv.FormatInt(v.Int, 10)
	}
	return v.Str
}

// String is v for a reader of a trace: nil, OK, (integer as digits), "quoted", [a, b], {k: v}, error text as it stands.
// The same reply looks the same in RESP2 and RESP3 as far as the types allow.
func (v Value) String() string {
	switch v.Kind { // most replies, at no cost
	case Simple, Error:
		return v.Str
	case Null:
		return "nil"
	}
	var s strings.Builder
	v.write(&s)
	return s.String()
}

func (v Value) write(s *strings.Builder) {
	switch v.Kind {
	case Null:
		s.WriteString("nil")
	case Int:
		s.WriteString(strconv.FormatInt(v.Int, 10))
	case Bulk, Verbatim:
		s.WriteString(Quote(v.Str))
	case Bool:
		s.WriteString(map[string]string{"t": "true", "f": "false"}[v.Str])
	case Map:
		s.WriteByte('{')
		for i := 0; i+1 < len(v.Elems); i += 2 {
			if i > 0 {
				s.WriteString(", ")
			}
			v.Elems[i].write(s)
			s.WriteString(": ")
			v.Elems[i+1].write(s)
		}
		s.WriteByte('}')
	case Array, Set, Push:
		s.WriteByte('[')
		for i, e := range v.Elems {
			if i > 0 {
				s.WriteString(", ")
			}
			e.write(s)
		}
		s.WriteByte(']')
	default:
		s.WriteString(v.Str)
	}
}

// Quote returns s as it stands where a reader can't mistake it: letters, digits and the signs that keys and ids are
// made of. Anything else is quoted as in Go.
func Quote(s string) string {
	if s == "" {
		return `""`
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(`:_-.{}*/@+$`, c) >= 0:
		default:
			return strconv.Quote(s)
		}
	}
	return s
}

// AppendError appends an error reply. The text must hold no line end.
func AppendError(dst []byte, text string) []byte {
	dst = append(dst, '-')
	dst = append(dst, text...)
	return append(dst, '\r', '\n')
}

// AppendSimple appends a simple string such as OK.
func AppendSimple(dst []byte, text string) []byte {
	dst = append(dst, '+')
	dst = append(dst, text...)
	return append(dst, '\r', '\n')
}

// AppendInt appends an integer reply.
func AppendInt(dst []byte, i int64) []byte {
	dst = append(dst, ':')
	dst = strconv.AppendInt(dst, i, 10)
	return append(dst, '\r', '\n')
}

// AppendNull appends the null of a protocol version; in RESP2 the null array when array is true, else the null bulk.
func AppendNull(dst []byte, proto int, array bool) []byte {
	switch {
	case proto >= 3:
		return append(dst, "_\r\n"...)
	case array:
		return append(dst, "*-1\r\n"...)
	}
	return append(dst, "$-1\r\n"...)
}

// AppendArrayLen appends the head of an array of n elements, which must follow.
func AppendArrayLen(dst []byte, n int) []byte {
	dst = append(dst, '*')
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, '\r', '\n')
}
