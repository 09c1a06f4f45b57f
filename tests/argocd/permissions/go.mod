module permissions

go 1.24

require (
	github.com/casbin/casbin/v2 v2.123.0
	github.com/gobwas/glob v1.0.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.6.1 // indirect
	github.com/casbin/govaluate v1.3.0 // indirect
)
