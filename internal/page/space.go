package page

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave"
)

// space is what an exploration has explored: a tree of the choices, as wide as there are orders below each.
type space struct {
	Title           string
	Orders, Drawn   int
	Violating       int // of Drawn
	Picture         template.HTML
	Branches        []branch // what the picture shows first, for those who can't see it
	LeftOutBranches int
}

type branch struct {
	Path              string
	Orders, Violating int
}

// space adds the picture of an exploration, if its orders are there.
func (r *race) space(impl, variant string, orders int, kept []interleave.KeptOrder) {
	if len(kept) == 0 {
		return
	}
	root := newTree(kept)
	s := space{Title: impl, Orders: orders, Drawn: len(kept), Violating: root.violating}
	if variant != "" {
		s.Title += ", " + variant
	}
	s.Picture = template.HTML(root.svg("The orders of " + r.ID + ", " + s.Title))
	s.Branches, s.LeftOutBranches = root.branches(12)
	r.Spaces = append(r.Spaces, s)
}

// fitting are the spaces that there is room for.
func (b *builder) fitting(all []space) []space {
	return slices.DeleteFunc(all, func(s space) bool {
		if b.room(len(s.Picture) + 400*len(s.Branches) + 600) {
			return false
		}
		b.m.Traces++
		return true
	})
}

// tree is a prefix of orders: the tokens that lead on from the prefix above it, as long as there is no choice.
type tree struct {
	tokens                       []string
	orders, violating, undecided int
	below                        []*tree
}

// newTree makes the tree of some orders. Its shape depends on the orders alone, and not on which came first.
func newTree(kept []interleave.KeptOrder) *tree {
	sorted := slices.Clone(kept)
	slices.SortFunc(sorted, func(a, b interleave.KeptOrder) int {
		return cmp.Or(slices.Compare(a.Tokens, b.Tokens), cmp.Compare(a.Outcome, b.Outcome))
	})
	return treeOf(sorted, 0)
}

// treeOf is the tree of sorted orders that have their first tokens in common.
func treeOf(sorted []interleave.KeptOrder, from int) *tree {
	t := &tree{orders: len(sorted)}
	for _, k := range sorted {
		switch k.Outcome {
		case interleave.Violated:
			t.violating++
		case interleave.Undecided:
			t.undecided++
		}
	}
	first, last := sorted[0].Tokens, sorted[len(sorted)-1].Tokens
	at := from
	for at < len(first) && at < len(last) && first[at] == last[at] {
		at++
	}
	t.tokens = first[from:at]
	for len(sorted) > 0 {
		if len(sorted[0].Tokens) <= at { // it ends here
			sorted = sorted[1:]
			continue
		}
		n := 1
		for n < len(sorted) && sorted[n].Tokens[at] == sorted[0].Tokens[at] {
			n++
		}
		t.below = append(t.below, treeOf(sorted[:n], at))
		sorted = sorted[n:]
	}
	return t
}

// branches are the largest parts of the tree, the whole prefix of each.
func (t *tree) branches(most int) (out []branch, left int) {
	var walk func(t *tree, path []string, depth int)
	walk = func(t *tree, path []string, depth int) {
		path = append(slices.Clone(path), t.tokens...)
		if depth == 0 || len(t.below) == 0 {
			out = append(out, branch{strings.Join(path, " "), t.orders, t.violating})
			return
		}
		for _, b := range t.below {
			walk(b, path, depth-1)
		}
	}
	for depth := 1; depth < 12; depth++ {
		before := len(out)
		out = nil
		walk(t, nil, depth)
		if len(out) >= most || len(out) == before {
			break
		}
	}
	if len(out) > most {
		left = len(out) - most
		slices.SortStableFunc(out, func(a, b branch) int { return cmp.Compare(b.orders(), a.orders()) })
		out = out[:most]
	}
	return out, left
}

func (b branch) orders() int { return b.Orders }

const (
	spaceWidth, spaceRow = 1000, 22
	spaceDepth           = 24  // rows that are drawn
	spaceLeast           = 1.5 // pixels that a branch must be wide to be drawn by itself
)

// svg draws the tree: the first choice on top, as wide as there are orders, and coloured by what they come to.
func (t *tree) svg(title string) string {
	var out strings.Builder
	rows := 0
	t.draw(&out, 0, spaceWidth, 0, &rows)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="space" role="img" aria-label="%s" width="%d" height="%d" viewBox="0 0 %[2]d %[3]d">`,
		html.EscapeString(title), spaceWidth, rows*spaceRow) + "\n" +
		out.String() + "</svg>\n"
}

func (t *tree) draw(out *strings.Builder, x, width float64, depth int, rows *int) {
	text := strings.Join(t.tokens, " ")
	if depth == 0 && text == "" {
		text = "the beginning"
	}
	cut := len(t.below) > 0 && depth+1 == spaceDepth
	t.box(out, x, width, depth, text, cut)
	*rows = max(*rows, depth+1)
	if cut {
		return
	}
	var narrow *tree // branches beside each other that are too narrow
	from, branches := 0.0, 0
	flush := func(to float64) {
		if narrow != nil {
			narrow.box(out, from, to-from, depth+1, fmt.Sprintf("%d branches, not drawn", branches), true)
			*rows = max(*rows, depth+2)
			narrow, branches = nil, 0
		}
	}
	for _, b := range t.below {
		w := width * float64(b.orders) / float64(t.orders)
		if w < spaceLeast {
			if narrow == nil {
				narrow, from = &tree{}, x
			}
			narrow.orders, narrow.violating, narrow.undecided = narrow.orders+b.orders, narrow.violating+b.violating, narrow.undecided+b.undecided
			branches++
		} else {
			flush(x)
			b.draw(out, x, w, depth+1, rows)
		}
		x += w
	}
	flush(x)
}

// box draws one prefix. Of one that is cut it says that there is more below.
func (t *tree) box(out *strings.Builder, x, width float64, depth int, text string, cut bool) {
	class, mark := "none", ""
	switch {
	case t.violating == t.orders:
		class, mark = "all", "✗ "
	case t.violating > 0:
		class = "some"
	case t.undecided > 0:
		class, mark = "open", "? "
	}
	title := fmt.Sprintf("%s: %d of %d orders violate", text, t.violating, t.orders)
	if t.orders == 1 {
		title = text + ": " + map[string]string{"none": "holds", "all": "violates", "open": "undecided"}[class]
	}
	if cut {
		title += fmt.Sprintf("; %d orders below, not drawn", t.orders)
		mark += "… "
	}
	y := depth * spaceRow
	fmt.Fprintf(out, `<g><title>%s</title><rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"/>`, html.EscapeString(title), class, x, y, max(width-0.6, 0.6), spaceRow-1)
	if class == "some" {
		fmt.Fprintf(out, `<rect class="over" x="%.1f" y="%d" width="%.1f" height="%d"/>`, x, y, max(width-0.6, 0.6), spaceRow-1)
	}
	if most := int((width - 8) / 6.3); most >= 3 {
		label := []rune(mark + text)
		if len(label) > most {
			label = append(label[:most-1:most-1], '…')
		}
		fmt.Fprintf(out, `<text x="%.1f" y="%d">%s</text>`, x+4, y+15, html.EscapeString(string(label)))
	}
	out.WriteString("</g>\n")
}
