// Package wire reads and writes the Redis protocol, RESP2 and RESP3, from byte slices.
//
// It does so incrementally and keeps raw bytes, because the gate hands replies on exactly as the server sent them.
// The protocol is described at https://redis.io/docs/latest/develop/reference/protocol-spec/.
package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrProtocol is wrapped by every error about bytes that are not RESP.
var ErrProtocol = errors.New("wire: not RESP")

// maxBulk is the largest bulk string that a Redis server takes, in bytes (proto-max-bulk-len).
const maxBulk = 512 << 20

// maxElems bounds the elements of one aggregate, as the server bounds a multibulk request.
const maxElems = 1 << 20

// maxDepth bounds nesting, so that no peer can exhaust the stack.
const maxDepth = 64

// ReadCommand reads one command from the start of b: an array of bulk strings, or an inline command. It returns the
// bytes used; n = 0 with a nil error means that the command is not complete yet. An empty line is a command without
// arguments, which a server passes over.
func ReadCommand(b []byte) (args []string, n int, err error) {
	if len(b) == 0 {
		return nil, 0, nil
	}
	line, pos := readLine(b, 0)
	if pos == 0 {
		return nil, 0, nil
	}
	if b[0] != '*' {
		return strings.Fields(string(line)), pos, nil
	}
	count, err := readInt(line[1:])
	if err != nil || count > maxElems {
		return nil, 0, fmt.Errorf("%w: multibulk length %q", ErrProtocol, line[1:])
	}
	args = make([]string, 0, max(count, 0))
	for range count {
		line, next := readLine(b, pos)
		if next == 0 {
			return nil, 0, nil
		}
		if len(line) == 0 || line[0] != '$' {
			return nil, 0, fmt.Errorf("%w: expected '$', got %q", ErrProtocol, line)
		}
		size, err := readInt(line[1:])
		if err != nil || size < 0 || size > maxBulk {
			return nil, 0, fmt.Errorf("%w: bulk length %q", ErrProtocol, line[1:])
		}
		end := next + int(size)
		if len(b) < end+2 {
			return nil, 0, nil
		}
		args = append(args, string(b[next:end]))
		pos = end + 2
	}
	return args, pos, nil
}

// AppendCommand appends args to dst as an array of bulk strings.
func AppendCommand(dst []byte, args ...string) []byte {
	dst = append(dst, '*')
	dst = strconv.AppendInt(dst, int64(len(args)), 10)
	dst = append(dst, '\r', '\n')
	for _, a := range args {
		dst = AppendBulk(dst, a)
	}
	return dst
}

// AppendBulk appends s to dst as a bulk string.
func AppendBulk(dst []byte, s string) []byte {
	dst = append(dst, '$')
	dst = strconv.AppendInt(dst, int64(len(s)), 10)
	dst = append(dst, '\r', '\n')
	dst = append(dst, s...)
	return append(dst, '\r', '\n')
}

// FrameLen is the length in bytes of the frame at the start of b, attributes before it included; 0 while incomplete.
func FrameLen(b []byte) (int, error) {
	n, err := skip(b, 0, 0)
	if err == errShort {
		return 0, nil
	}
	return n, err
}

// errShort says that more bytes are needed.
var errShort = errors.New("wire: short")

func skip(b []byte, pos, depth int) (int, error) {
	if depth > maxDepth {
		return 0, fmt.Errorf("%w: nested more than %d deep", ErrProtocol, maxDepth)
	}
	if pos >= len(b) {
		return 0, errShort
	}
	line, next := readLine(b, pos)
	if next == 0 {
		return 0, errShort
	}
	switch b[pos] {
	case '+', '-', ':', '_', '#', ',', '(':
		return next, nil
	case '$', '!', '=':
		size, err := readInt(line[1:])
		if err != nil || size > maxBulk {
			return 0, fmt.Errorf("%w: bulk length %q", ErrProtocol, line[1:])
		}
		if size < 0 {
			return next, nil
		}
		if len(b) < next+int(size)+2 {
			return 0, errShort
		}
		return next + int(size) + 2, nil
	case '*', '~', '>', '%', '|':
		count, err := readInt(line[1:])
		if err != nil || count > maxElems {
			return 0, fmt.Errorf("%w: length %q", ErrProtocol, line[1:])
		}
		if b[pos] == '%' || b[pos] == '|' {
			count *= 2
		}
		if b[pos] == '|' {
			count++ // the value that the attribute is about belongs to the same frame
		}
		for range count {
			if next, err = skip(b, next, depth+1); err != nil {
				return 0, err
			}
		}
		return next, nil
	}
	return 0, fmt.Errorf("%w: unknown type %q", ErrProtocol, b[pos])
}

// readLine returns the line at pos without its end, and where the next begins; 0 while there is no whole line.
func readLine(b []byte, pos int) (line []byte, next int) {
	i := bytes.IndexByte(b[pos:], '\n')
	if i < 0 {
		return nil, 0
	}
	line = b[pos : pos+i]
	if len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	return line, pos + i + 1
}

func readInt(b []byte) (int64, error) {
	return strconv.ParseInt(string(b), 10, 64)
}
