package remote

// kind says what else a command does than read or write keys.
type kind uint8

const (
	plain      kind = iota
	expiring        // may give a key a deadline
	hello           // HELLO
	client          // CLIENT …
	selectDB        // SELECT
	resetting       // RESET
	multi           // MULTI
	exec            // EXEC
	discard         // DISCARD
	binding         // binds the connection to something that only RESET undoes: WATCH, AUTH, READONLY …
	subscribe       // (P|S)(UN)SUBSCRIBE
	eval            // EVAL, EVAL_RO
	evalsha         // EVALSHA, EVALSHA_RO
	script          // SCRIPT …
	function        // FUNCTION …
	config          // CONFIG …
	persistent      // writes files or ends the server: refused
	soiling         // changes the server beyond a flush
)

var kinds = map[string]kind{
	"EXPIRE": expiring, "PEXPIRE": expiring, "EXPIREAT": expiring, "PEXPIREAT": expiring, "SETEX": expiring,
	"PSETEX": expiring, "SET": expiring, "GETEX": expiring, "RESTORE": expiring, "FCALL": expiring, "HEXPIRE": expiring,
	"HPEXPIRE": expiring, "HEXPIREAT": expiring, "HPEXPIREAT": expiring, "HGETEX": expiring, "HSETEX": expiring,
	"MSETEX": expiring,

	"HELLO": hello, "CLIENT": client, "SELECT": selectDB, "RESET": resetting,
	"MULTI": multi, "EXEC": exec, "DISCARD": discard,
	"WATCH": binding, "AUTH": binding, "READONLY": binding, "READWRITE": binding, "ASKING": binding,
	"SUBSCRIBE": subscribe, "PSUBSCRIBE": subscribe, "SSUBSCRIBE": subscribe,
	"UNSUBSCRIBE": subscribe, "PUNSUBSCRIBE": subscribe, "SUNSUBSCRIBE": subscribe,

	"EVAL": eval, "EVAL_RO": eval, "EVALSHA": evalsha, "EVALSHA_RO": evalsha, "SCRIPT": script, "FUNCTION": function,
	"CONFIG": config,

	"SAVE": persistent, "BGSAVE": persistent, "BGREWRITEAOF": persistent, "SHUTDOWN": persistent, "MONITOR": persistent,
	"SYNC": persistent, "PSYNC": persistent,
	"ACL": soiling, "MODULE": soiling, "REPLICAOF": soiling, "SLAVEOF": soiling, "FAILOVER": soiling, "DEBUG": soiling,
}

// longestKind is the length of the longest name in kinds.
const longestKind = 12

// kindOf looks a command up whatever its case, without allocating.
func kindOf(name string) kind {
	var b [longestKind]byte
	if len(name) > len(b) {
		return plain
	}
	return kinds[string(upper(b[:], name))]
}

func upper(dst []byte, name string) []byte {
	dst = dst[:len(name)]
	for i := range dst {
		c := name[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst[i] = c
	}
	return dst
}
