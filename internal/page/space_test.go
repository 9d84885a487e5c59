package page

import (
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave"
)

func kept(outcome interleave.Outcome, tokens string) interleave.KeptOrder {
	return interleave.KeptOrder{Tokens: strings.Fields(tokens), Outcome: outcome}
}

// The tree has every order once, below the choices that lead to it, whatever the order in which they came.
func TestTree(t *testing.T) {
	orders := []interleave.KeptOrder{
		kept(interleave.Violated, "A.GET B.GET A.SET B.SET"), kept(interleave.Violated, "A.GET B.GET B.SET A.SET"),
		kept(interleave.Held, "A.GET A.SET B.GET B.SET"), kept(interleave.Undecided, "B.GET B.SET"), kept(interleave.Held, "A.GET"),
	}
	want := newTree(orders).svg("x")
	for range 20 {
		rand.Shuffle(len(orders), func(i, j int) { orders[i], orders[j] = orders[j], orders[i] })
		if got := newTree(orders).svg("x"); got != want {
			t.Fatalf("another picture:\n%s\n%s", got, want)
		}
	}
	for _, title := range []string{
		"the beginning: 2 of 5 orders violate", "A.GET: 2 of 4 orders violate", "B.GET: 2 of 2 orders violate",
		"A.SET B.SET: violates", "A.SET B.GET B.SET: holds", "B.GET B.SET: undecided",
	} {
		if !strings.Contains(want, "<title>"+title+"</title>") {
			t.Errorf("no box says %q", title)
		}
	}
	branches, _ := newTree(orders).branches(12)
	sum := 0
	for _, b := range branches {
		sum += b.Orders
	}
	if sum < len(orders)-1 { // the one that ends where others go on has no branch of its own
		t.Errorf("%d orders in the table: %+v", sum, branches)
	}
}

// A picture of many orders has a bound, and counts what it does not draw.
func TestTreeIsBounded(t *testing.T) {
	var orders []interleave.KeptOrder
	for i := range interleave.MaxKeptOrders {
		tokens := ""
		for bit := range 40 {
			tokens += fmt.Sprintf("%c.SET ", 'A'+(i>>(bit%11)+bit*i)%7)
		}
		orders = append(orders, kept([]interleave.Outcome{interleave.Held, interleave.Violated}[i%2], tokens))
	}
	text := newTree(orders).svg("x")
	if len(text) > 2<<20 {
		t.Errorf("%d bytes", len(text))
	}
	if !strings.Contains(text, "not drawn") {
		t.Error("nothing says what is not drawn")
	}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
