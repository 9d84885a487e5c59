package interleave

import (
	"slices"
	"sort"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

// replyText is the reply as the trace shows it. The order of members in an answer that has none is the server's whim.
func replyText(o *op, v wire.Value) string {
	if o.name != "EXEC" {
		return normalised(o.name, v).String()
	}
	if queued := o.exec; len(queued) == len(v.Elems) {
		v.Elems = slices.Clone(v.Elems)
		for i, args := range queued {
			v.Elems[i] = normalised(strings.ToUpper(args[0]), v.Elems[i])
		}
	}
	return v.String()
}

func normalised(name string, v wire.Value) wire.Value {
	switch name {
	case "SMEMBERS", "KEYS", "HKEYS", "HVALS", "SINTER", "SUNION", "SDIFF":
		return sortedValue(v, 1)
	case "HGETALL":
		return sortedValue(v, 2)
	case "SCAN", "SSCAN", "HSCAN", "ZSCAN":
		if len(v.Elems) == 2 {
			group := 2
			if name == "SCAN" || name == "SSCAN" {
				group = 1
			}
			v.Elems = []wire.Value{v.Elems[0], sortedValue(v.Elems[1], group)}
		}
	}
	return v
}

// sortedValue sorts the elements of an aggregate in groups of n by the first of each.
func sortedValue(v wire.Value, n int) wire.Value {
	if len(v.Elems) == 0 || len(v.Elems)%n != 0 {
		return v
	}
	groups := make([][]wire.Value, 0, len(v.Elems)/n)
	for i := 0; i < len(v.Elems); i += n {
		groups = append(groups, v.Elems[i:i+n])
	}
	sort.SliceStable(groups, func(i, j int) bool { return groups[i][0].Text() < groups[j][0].Text() })
	v.Elems = slices.Concat(groups...)
	return v
}
