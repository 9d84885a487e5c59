package container

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/internal/require"
	"github.com/racebench/racebench/internal/rundir"
)

// image returns a local image to test with.
func image(t testing.TB) string {
	t.Helper()
	return require.Image(t)
}

// roleVariable makes this test binary act as a program that uses a container and is killed.
const roleVariable = "RACEBENCH_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		if _, err := Open(backend.Config{Image: os.Getenv(require.ImageVariable)}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready")
		select {}
	}
	os.Exit(inOwnFolder(m.Run))
}

// ours is the folder in which everything that these tests start has its own: other packages start containers meanwhile.
var ours string

func inOwnFolder(run func() int) int {
	dir, err := os.MkdirTemp("", "rbc-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Setenv("TMPDIR", dir)
	ours = dir
	return run()
}

func open(t *testing.T, cfg backend.Config) *Server {
	t.Helper()
	cfg.Image = image(t)
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*Server)
}

func do(t *testing.T, c backend.Conn, args ...string) string {
	t.Helper()
	raw, err := c.Do(args)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return strings.ReplaceAll(string(raw), "\r\n", "|")
}

// running counts the containers whose labels say that they belong to these tests.
func running(t *testing.T) int {
	t.Helper()
	host, _ := os.Hostname()
	out, err := exec.Command("docker", "ps", "-a", "--filter", "label="+labelHost+"="+host, "--format", `{{.Label "`+labelFolder+`"}}`).CombinedOutput()
	if err != nil {
		t.Fatalf("docker ps: %v: %s", err, out)
	}
	return strings.Count("\n"+string(out), "\n"+ours)
}

func TestWorlds(t *testing.T) {
	image(t) // where there is none, nothing is to be counted either
	for _, shift := range []bool{false, true} {
		t.Run(fmt.Sprint("shift=", shift), func(t *testing.T) {
			s := open(t, backend.Config{ShiftClock: shift})
			t.Log(s.Version(), s.ClockMode())
			if !shift && s.ClockMode() != "virtual" {
				t.Log("no virtual wall clock in this container")
			}
			for range 2 {
				synctest.Test(t, func(t *testing.T) {
					if err := s.Reset(time.Now()); err != nil {
						t.Fatal(err)
					}
					c, err := s.Open()
					if err != nil {
						t.Fatal(err)
					}
					if got := do(t, c, "TIME"); got != "*2|$9|946684800|$1|0|" {
						t.Error(got)
					}
					do(t, c, "SET", "k", "v", "PX", "500")
					time.Sleep(501 * time.Millisecond)
					s.SetClock(time.Now())
					if got := do(t, c, "DBSIZE"); got != ":0|" {
						t.Error(got)
					}
					if got := do(t, c, "EVAL", "return redis.call('TIME')", "0"); got != "*2|$9|946684800|$6|501000|" {
						t.Error(got)
					}
					do(t, c, "CONFIG", "SET", "maxmemory-samples", "7") // so that the container is replaced, in the bubble
				})
			}
			if err := s.Reset(remote.Epoch); err != nil {
				t.Fatal(err)
			}
			c, _ := s.Open()
			if got := do(t, c, "CONFIG", "GET", "maxmemory-samples"); !strings.HasSuffix(got, "|5|") {
				t.Error(got)
			}
		})
	}
	if n := running(t); n != 0 {
		t.Errorf("%d containers are left", n)
	}
}

func TestDies(t *testing.T) {
	s := open(t, backend.Config{})
	c, _ := s.Open()
	do(t, c, "SET", "a", "1")
	if out, err := exec.Command("docker", "stop", s.box.GetContainerID()).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	_, err := c.Do([]string{"GET", "a"})
	var u *backend.UnavailableError
	if !errors.As(err, &u) || !strings.Contains(err.Error(), "exit status 0; last line of its log") {
		t.Error(err)
	}
}

// What cannot be had is told at once, with a hint.
func TestCannotOpen(t *testing.T) {
	for name, c := range map[string]struct {
		image, want string
	}{
		"no image":   {"127.0.0.1:1/nobody/nothing:0", "can't be pulled"},
		"bad name":   {"No Such Image", "image No Such Image"},
		"no program": {image(t), "no container of"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			s := &Server{image: c.image}
			err := s.findEngine()
			if err == nil {
				err = s.findImage()
			}
			if name == "no program" {
				t.Cleanup(func() { s.Close() })
				if err = s.open(); err != nil {
					t.Fatal(err)
				}
				s.remove()
				s.program = "no-such-program"
				_, err = s.launch("")
			}
			var u *backend.UnavailableError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), c.want) || u.Hint == "" {
				t.Errorf("%v, want %q and a hint", err, c.want)
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func TestNoEngine(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=open", "DOCKER_HOST=unix:///nowhere/docker.sock", "HOME=/nowhere")
	start := time.Now()
	out, _ := cmd.CombinedOutput()
	if !strings.HasPrefix(string(out), "backend container: no Docker engine answers") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("got %q, want one line", out)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A killed run leaves a container for the janitor; where there is none, the next run removes it.
func TestKilled(t *testing.T) {
	img := image(t)
	for _, janitor := range []bool{true, false} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), roleVariable+"=wait", require.ImageVariable+"="+img)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		rundir.Bind(cmd)
		if rundir.Keep(func() { err = cmd.Start() }); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatal(line)
		}
		if n := running(t); n != 1 {
			t.Fatalf("%d containers run", n)
		}
		if !janitor {
			exec.Command("pkill", "-KILL", "-P", fmt.Sprint(cmd.Process.Pid)).Run() // its children, the janitor among them
		}
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
		if !janitor {
			s := open(t, backend.Config{})
			defer s.Close()
		}
		want := map[bool]int{true: 0, false: 1}[janitor]
		for i := 0; running(t) != want; i++ {
			if i == 100 {
				t.Fatalf("janitor %v: %d containers, want %d", janitor, running(t), want)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

func TestProbe(t *testing.T) {
	version, how, err := Probe(context.Background(), backend.Config{Image: image(t)})
	if err != nil || version == "" || !strings.Contains(how, "wall clock") {
		t.Error(version, how, err)
	}
}
