package remote

// Forget drops the free connections and all that the server remembers of its own replies and scripts, so that the next
// world is one on a server never used before.
func (s *Server) Forget() {
	s.closeIdle()
	clear(s.known)
	s.scripts.server["flush me"] = true
	for i := range maxScripts {
		s.scripts.server[string(rune(i))] = true
	}
}
