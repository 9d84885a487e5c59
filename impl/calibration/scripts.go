package calibration

import (
	_ "embed" // the scripts are files

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed add.lua
	addSource string
	//go:embed release.lua
	releaseSource string
	//go:embed leave.lua
	leaveSource string

	addScript     = redis.NewScript(addSource)
	releaseScript = redis.NewScript(releaseSource)
	leaveScript   = redis.NewScript(leaveSource)
)
