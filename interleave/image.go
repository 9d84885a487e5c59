package interleave

import (
	"encoding/json"
	"fmt"
	"maps"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/wire"
)

// Entry is the value of one key at one moment, in an order that does not depend on the server's.
type Entry struct {
	// Type is what TYPE answers: string, hash, list, set, zset or stream.
	Type string `json:"type"`
	// Items is the value: one item of a string; members of a list in order, of a set sorted; field, value, … of a hash
	// sorted by field; member, score, … of a sorted set by score; id, then "field=value …" of a stream.
	Items []string `json:"items"`
	// Expires is when the key goes, in virtual time since the world began; negative when it stays.
	Expires time.Duration `json:"expires"`
}

// MarshalJSON writes Expires in milliseconds, or leaves it out.
func (e *Entry) MarshalJSON() ([]byte, error) {
	out := struct {
		Type      string   `json:"type"`
		Items     []string `json:"items"`
		ExpiresMS *int64   `json:"expires_ms,omitempty"`
	}{Type: e.Type, Items: e.Items}
	if out.Items == nil {
		out.Items = []string{} // an empty value is none that nobody knows
	}
	if e.Expires >= 0 {
		ms := e.Expires.Milliseconds()
		out.ExpiresMS = &ms
	}
	return json.Marshal(out)
}

// Field is the value of a field of a hash, or of a member of a sorted set; empty when there is none.
func (e *Entry) Field(name string) string {
	if e == nil || e.Type != "hash" && e.Type != "zset" {
		return ""
	}
	for i := 0; i+1 < len(e.Items); i += 2 {
		if e.Items[i] == name {
			return e.Items[i+1]
		}
	}
	return ""
}

// Text is the value of a string; empty for a key that is gone.
func (e *Entry) Text() string {
	if e == nil || e.Type != "string" || len(e.Items) == 0 {
		return ""
	}
	return e.Items[0]
}

func (e *Entry) equal(o *Entry) bool {
	if e == nil || o == nil {
		return e == o
	}
	if e.Type != o.Type || e.Expires != o.Expires || len(e.Items) != len(o.Items) {
		return false
	}
	for i := range e.Items {
		if e.Items[i] != o.Items[i] {
			return false
		}
	}
	return true
}

// String is the value for a reader: "a1", {status: RUNNING}, [a, b]; with "(gone in 9m)" left to the caller.
func (e *Entry) String() string {
	if e == nil {
		return "(none)"
	}
	var parts []string
	switch e.Type {
	case "table":
		return "[" + strings.Join(e.Items, ", ") + "]"
	case "string":
		return wire.Quote(e.Text())
	case "hash", "zset", "stream":
		for i := 0; i+1 < len(e.Items); i += 2 {
			parts = append(parts, wire.Quote(e.Items[i])+": "+wire.Quote(e.Items[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	for _, item := range e.Items {
		parts = append(parts, wire.Quote(item))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// dbKey names a key in one of the numbered databases of a server.
type dbKey struct {
	server string // empty for the one without a name
	db     int
	key    string
}

// String is the key as traces show it, "r1/db3:job": with the server only when it has a name, with the database only
// when it is not 0.
func (k dbKey) String() string {
	s := k.key
	if k.db != 0 {
		s = "db" + strconv.Itoa(k.db) + ":" + s
	}
	if k.server != "" {
		s = k.server + "/" + s
	}
	return s
}

// image is what the scheduler knows the servers to hold.
type image map[dbKey]*Entry

func (m image) sorted() []dbKey {
	keys := make([]dbKey, 0, len(m))
	for k := range m { // any order: sorted below
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].server != keys[j].server {
			return keys[i].server < keys[j].server
		}
		if keys[i].db != keys[j].db {
			return keys[i].db < keys[j].db
		}
		return keys[i].key < keys[j].key
	})
	return keys
}

// Change is what a step did to a key. Before or After is nil when the key was or is not there.
type Change struct {
	Key    string `json:"key"`              // its name
	Before *Entry `json:"before,omitempty"` // nil: the key is new
	After  *Entry `json:"after,omitempty"`  // nil: the key is gone
}

// refresh reads the given keys again and returns what is different from the image, which it updates.
func (e *engine) refresh(keys []dbKey) ([]Change, error) {
	var changes []Change
	for _, k := range keys {
		after, err := e.entry(k, e.image[k])
		if err != nil {
			return nil, err
		}
		changes = e.replace(changes, k, after)
	}
	return changes, nil
}

// replace puts what a key is now into the image and adds to changes if it is something else than before.
func (e *engine) replace(changes []Change, k dbKey, after *Entry) []Change {
	before := e.image[k]
	if before.equal(after) {
		return changes
	}
	if after == nil {
		delete(e.image, k)
	} else {
		e.image[k] = after
	}
	return append(changes, Change{k.String(), before, after})
}

// entry reads one key from the server; guess is what it was before, and saves asking for the type.
func (e *engine) entry(k dbKey, guess *Entry) (*Entry, error) {
	on := e.server(k.server)
	kind := ""
	if guess != nil {
		kind = guess.Type
	}
	for range 2 {
		if kind == "" {
			v, err := on.ask(k.db, "TYPE", k.key)
			if err != nil {
				return nil, err
			}
			kind = v.Str
		}
		if kind == "none" {
			return nil, nil
		}
		v, err := on.askAll(k.db, [][]string{readCommand(kind, k.key), {"PTTL", k.key}})
		if err != nil {
			return nil, err
		}
		if !v[0].IsErr() {
			return e.newEntry(kind, v[0], v[1]), nil
		}
		kind = "" // it is of another type than it was
	}
	return nil, fmt.Errorf("interleave: key %s can't be read as what TYPE says it is", k)
}

// newEntry puts an entry together from the replies to readCommand and PTTL.
func (e *engine) newEntry(kind string, v, ttl wire.Value) *Entry {
	entry := &Entry{Type: kind, Items: items(kind, v), Expires: -1}
	switch {
	case ttl.Int == -2:
		return nil
	case ttl.Int >= 0:
		entry.Expires = e.serverNow() + time.Duration(ttl.Int)*time.Millisecond
	}
	return entry
}

func readCommand(kind, key string) []string {
	switch kind {
	case "string":
		return []string{"GET", key}
	case "hash":
		return []string{"HGETALL", key}
	case "list":
		return []string{"LRANGE", key, "0", "-1"}
	case "set":
		return []string{"SMEMBERS", key}
	case "zset":
		return []string{"ZRANGE", key, "0", "-1", "WITHSCORES"}
	default:
		return []string{"XRANGE", key, "-", "+"}
	}
}

// items brings a reply, RESP2 or RESP3, into the order that Entry promises.
func items(kind string, v wire.Value) []string {
	if kind == "string" {
		return []string{v.Str}
	}
	var out []string
	for _, el := range v.Elems {
		if kind == "zset" && len(el.Elems) == 2 { // RESP3 pairs member and score
			out = append(out, el.Elems[0].Text(), el.Elems[1].Text())
			continue
		}
		if kind != "stream" {
			out = append(out, el.Text())
			continue
		}
		var pairs []string
		f := el.Elems[1].Elems
		for i := 0; i+1 < len(f); i += 2 {
			pairs = append(pairs, f[i].Str+"="+f[i+1].Str)
		}
		out = append(out, el.Elems[0].Str, strings.Join(pairs, " "))
	}
	switch kind {
	case "set":
		sort.Strings(out)
	case "hash":
		sortPairs(out)
	}
	return out
}

// sortPairs sorts field, value, field, value … by field.
func sortPairs(flat []string) {
	pairs := make([][2]string, 0, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		pairs = append(pairs, [2]string{flat[i], flat[i+1]})
	}
	sort.Slice(pairs, func(i, j int) bool { return pairs[i][0] < pairs[j][0] })
	for i, p := range pairs {
		flat[2*i], flat[2*i+1] = p[0], p[1]
	}
}

// scan reads every key of every database of the server that a session has used.
func (v *server) scan() (image, error) {
	img := image{}
	for _, db := range v.databases() {
		cursor := "0"
		for {
			reply, err := v.ask(db, "SCAN", cursor, "COUNT", "1000")
			if err != nil {
				return nil, err
			}
			if len(reply.Elems) != 2 {
				return nil, fmt.Errorf("interleave: SCAN answered %s", reply)
			}
			for _, el := range reply.Elems[1].Elems {
				k := dbKey{v.name, db, el.Str}
				if img[k] != nil {
					continue
				}
				entry, err := v.eng.entry(k, v.eng.image[k])
				if err != nil {
					return nil, err
				}
				if entry != nil {
					img[k] = entry
				}
			}
			if cursor = reply.Elems[0].Str; cursor == "0" {
				break
			}
		}
	}
	return img, nil
}

// rescan reads the whole server again and returns what is different from the image, which it updates.
func (v *server) rescan() ([]Change, error) {
	img, err := v.scan()
	if err != nil {
		return nil, err
	}
	var changes []Change
	all := v.eng.image.of(v.name)
	maps.Copy(all, img)
	for _, k := range all.sorted() {
		changes = v.eng.replace(changes, k, img[k])
	}
	return changes, nil
}

// of is the part of the image that is about one server.
func (m image) of(server string) image {
	part := make(image, len(m))
	for k, v := range m { // any order: they go into a map
		if k.server == server {
			part[k] = v
		}
	}
	return part
}
