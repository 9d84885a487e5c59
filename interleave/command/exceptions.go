package command

import "strings"

// exceptions are the commands whose key specs say too little, or too much. The server has a function of its own for
// each of the first five; the rest are about more than the keys they name.
var exceptions = map[string]func(args []string) exception{
	"SET":      setKeys,
	"BITFIELD": bitfieldKeys,
	"SORT":     sortKeys,
	"SORT_RO":  sortReadOnlyKeys,
	"MIGRATE":  migrateKeys,

	"COPY": copyKeys,
	"MOVE": allKeys, // its other key is in another database

	"KEYS": allKeys, "SCAN": allKeys, "RANDOMKEY": allKeys, "DBSIZE": allKeys,
	"FLUSHALL": allKeys, "FLUSHDB": allKeys, "SWAPDB": allKeys,
}

func allKeys([]string) exception { return exception{unknown: true} }

func at(place int, a Access) keySpec { return keySpec{begin: place, step: 1, access: a} }

var (
	onlyWritten = []keySpec{at(1, Modify)}
	onlyRead    = []keySpec{at(1, Read)}
	written     = []keySpec{at(1, ReadWrite)}
)

// setKeys: SET reads its key only to answer GET.
func setKeys(args []string) exception {
	for _, a := range args[3:] {
		if strings.EqualFold(a, "GET") {
			return exception{specs: written}
		}
	}
	return exception{specs: onlyWritten}
}

// bitfieldKeys: BITFIELD that only GETs only reads.
func bitfieldKeys(args []string) exception {
	for i := 2; i < len(args); i++ {
		switch left := len(args) - i - 1; {
		case strings.EqualFold(args[i], "GET") && left >= 2:
			i += 2
		case (strings.EqualFold(args[i], "SET") || strings.EqualFold(args[i], "INCRBY")) && left >= 3:
			return exception{specs: written}
		case strings.EqualFold(args[i], "OVERFLOW") && left >= 1:
			i++
		default:
			return exception{specs: written} // a syntax error
		}
	}
	return exception{specs: onlyRead}
}

// sortKeys: BY and GET read keys named by the elements. The last STORE counts, as on the server.
func sortKeys(args []string) exception {
	dest := 0
	for i := 2; i < len(args); i++ {
		switch {
		case strings.EqualFold(args[i], "LIMIT"):
			i += 2
		case strings.EqualFold(args[i], "BY"), strings.EqualFold(args[i], "GET"):
			if i+1 < len(args) && strings.Contains(args[i+1], "*") {
				return exception{unknown: true}
			}
			i++
		case strings.EqualFold(args[i], "STORE") && i+1 < len(args):
			dest = i + 1
			i++
		}
	}
	if dest == 0 {
		return exception{specs: onlyRead}
	}
	return exception{specs: []keySpec{at(1, Read), at(dest, Modify)}}
}

// sortReadOnlyKeys: SORT_RO knows no STORE.
func sortReadOnlyKeys(args []string) exception {
	if sortKeys(args).unknown {
		return exception{unknown: true}
	}
	return exception{specs: onlyRead}
}

// migrateKeys: one key in place 3, or, when that is empty, those after KEYS.
func migrateKeys(args []string) exception {
	if args[3] != "" {
		return exception{specs: []keySpec{at(3, ReadWrite)}}
	}
	for i := 6; i < len(args); i++ {
		switch {
		case strings.EqualFold(args[i], "AUTH"):
			i++
		case strings.EqualFold(args[i], "AUTH2"):
			i += 2
		case strings.EqualFold(args[i], "KEYS") && i+1 < len(args):
			return exception{specs: []keySpec{{begin: i + 1, last: -1, step: 1, access: ReadWrite}}}
		}
	}
	return exception{unknown: true}
}

// copyKeys: with DB the destination is in another database, which a key's name alone doesn't tell.
func copyKeys(args []string) exception {
	for _, a := range args[3:] {
		if strings.EqualFold(a, "DB") {
			return exception{unknown: true}
		}
	}
	return exception{}
}
