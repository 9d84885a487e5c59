package schedule

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// This file is the outermost layer of [Compact]: numbers as letters that no shell and no URL gives a meaning to, and the
// checksum.

// letters are the digits of base64url (RFC 4648, section 5).
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// digits64 prints x in base 64 with at least n digits, the most significant first.
func digits64(x *big.Int, n int) string {
	var out []byte
	q, r, base := new(big.Int).Set(x), new(big.Int), big.NewInt(64)
	for q.Sign() > 0 || len(out) < n {
		q.QuoRem(q, base, r)
		out = append(out, letters[r.Int64()])
	}
	slices.Reverse(out)
	return string(out)
}

// parse64 reads what digits64 prints.
func parse64(s string) (*big.Int, error) {
	switch {
	case s == "":
		return nil, errors.New("the token ends too early")
	case s[0] == letters[0]:
		return nil, errors.New("a token's number does not begin with A")
	}
	// Six bits a digit, put together in bytes from the end: a number of any length in linear time.
	b := make([]byte, (len(s)*6+7)/8)
	for i := range len(s) {
		d := strings.IndexByte(letters, s[len(s)-1-i])
		if d < 0 {
			return nil, fmt.Errorf("%q is no digit of a token", s[len(s)-1-i])
		}
		bit := i * 6
		at := len(b) - 1 - bit/8
		b[at] |= byte(d << (bit % 8))
		if bit%8 > 2 {
			b[at-1] |= byte(d >> (8 - bit%8))
		}
	}
	return new(big.Int).SetBytes(b), nil
}

// crc24 is the checksum of OpenPGP (RFC 4880, section 6.1): every change within 24 bits in a row is noticed, so any one
// letter, and any two neighbours.
func crc24(parts ...[]byte) uint32 {
	const begin, poly = 0xB704CE, 0x1864CFB
	crc := uint32(begin)
	for _, p := range parts {
		for _, b := range p {
			crc ^= uint32(b) << 16
			for range 8 {
				if crc <<= 1; crc&0x1000000 != 0 {
					crc ^= poly
				}
			}
		}
		crc ^= uint32(len(p)) << 8 // so that a letter can't move from one part to the next
	}
	return crc & 0xFFFFFF
}
