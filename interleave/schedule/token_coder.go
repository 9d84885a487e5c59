package schedule

import (
	"errors"
	"math/big"
	"math/bits"
)

// This file is the entropy coder below [Compact]: asymmetric numeral systems (Duda, "Asymmetric numeral systems: entropy
// coding combining speed of Huffman coding with compression rate of arithmetic coding", 2013) on one large number, so
// that a symbol costs exactly as much as it surprises, and no state is lost in rounding. The models learn as they go: a
// program that says GET over and over pays for the word once.

// coder writes symbols to a number or reads them from it. The same code walks a token in both directions, so that they
// can't differ.
type coder struct {
	reading bool
	x       *big.Int
	out     []interval // while writing, in the order of being read
	symbols int        // read so far
	err     error      // of reading; the first
}

// interval is the share of a symbol among all that could have been there.
type interval struct{ start, freq, total int }

// maxSymbols bounds what one token can make a reader do.
const maxSymbols = 1 << 21

var (
	errTooLong = errors.New("it says more than a token can")
	errRest    = errors.New("there is more in it than it says")
	errRange   = errors.New("a number in it is out of range")
)

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// part codes one of the intervals that find returns for a place below total.
func (c *coder) part(of interval, find func(at int) interval) interval {
	if !c.reading {
		c.out = append(c.out, of)
		return of
	}
	if c.symbols++; c.symbols > maxSymbols {
		c.fail(errTooLong)
	}
	if c.err != nil {
		return find(0)
	}
	q, r := new(big.Int).QuoRem(c.x, big.NewInt(int64(of.total)), new(big.Int))
	at := int(r.Int64())
	got := find(at)
	c.x.Mul(q, big.NewInt(int64(got.freq))).Add(c.x, big.NewInt(int64(at-got.start)))
	return got
}

// number is what has been written.
func (c *coder) number() *big.Int {
	x := new(big.Int)
	r := new(big.Int)
	for i := len(c.out) - 1; i >= 0; i-- {
		s := c.out[i]
		x.QuoRem(x, big.NewInt(int64(s.freq)), r)
		x.Mul(x, big.NewInt(int64(s.total))).Add(x, r).Add(x, big.NewInt(int64(s.start)))
	}
	return x
}

// uniform codes a value below n, each equally likely.
func (c *coder) uniform(v *int, n int) {
	got := c.part(interval{*v, 1, n}, func(at int) interval { return interval{at, 1, n} })
	*v = got.start
}

// model is a set of symbols, from 0, that learns which are frequent.
type model struct {
	freq  []int
	total int
	gain  int // what a symbol gains each time that it is met
}

// newModel is a model of n symbols. Those from 0 on may be given other weights than 1 to begin with.
func newModel(n, gain int, weights ...int) *model {
	m := &model{freq: make([]int, n), gain: gain}
	for i := range m.freq {
		m.freq[i] = 1
		if i < len(weights) {
			m.freq[i] = weights[i]
		}
		m.total += m.freq[i]
	}
	return m
}

// code codes a symbol of a model.
func (c *coder) code(v *int, m *model) {
	if c.reading {
		*v = 0
	}
	if *v < 0 || *v >= len(m.freq) {
		c.fail(errRange)
		*v = 0
	}
	of := interval{total: m.total}
	if !c.reading {
		for _, f := range m.freq[:*v] {
			of.start += f
		}
		of.freq = m.freq[*v]
	}
	sym := *v
	c.part(of, func(at int) interval {
		start := 0
		for i, f := range m.freq {
			if at < start+f {
				sym = i
				return interval{start, f, m.total}
			}
			start += f
		}
		panic("a place beyond the total")
	})
	*v = sym
	m.freq[sym] += m.gain
	m.total += m.gain
}

// amount is a model of numbers from 0 that are mostly small.
type amount struct{ lengths *model }

func newAmount(weights ...int) *amount { return &amount{newModel(64, 16, weights...)} }

// count codes a number from 0 to most, by its length in bits and then by its bits.
func (c *coder) count(v *int64, a *amount, most int64) {
	if c.reading {
		*v = 0
	}
	length := bits.Len64(uint64(*v))
	c.code(&length, a.lengths)
	got := int64(0)
	if length > 0 {
		got = 1
	}
	const chunk = 16
	for left := length - 1; left > 0; {
		n := min(left, chunk)
		left -= n
		low := int(*v >> left & (1<<n - 1))
		c.uniform(&low, 1<<n)
		got = got<<n | int64(low)
	}
	if *v = got; got > most {
		c.fail(errRange)
		*v = most
	}
}

// int codes an int that is at most most.
func (c *coder) int(v *int, a *amount, most int) {
	n := int64(*v)
	c.count(&n, a, int64(most))
	*v = int(n)
}

// text codes a string of at most most bytes.
func (c *coder) text(s *string, most int) {
	n := len(*s)
	c.int(&n, newAmount(), most)
	b := []byte(*s)
	if c.reading {
		b = make([]byte, n)
	}
	letters := newModel(256, 8)
	for i := range b {
		v := int(b[i])
		c.code(&v, letters)
		b[i] = byte(v)
	}
	*s = string(b)
}
