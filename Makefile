# Parley. `make` builds, `make test` is all that CI runs, `make bench` measures.
GO ?= go
export CGO_ENABLED ?= 0

.PHONY: build test unit race fuzz long steady tools demo bench docs clean

build:
	$(GO) build -trimpath -ldflags "-s -w" -o bin/parley .

# The packages with files for another system, but cli: it would build all there is.
OTHERS = ./internal/config ./internal/shell ./internal/tool/local ./internal/transport/unix ./internal/workspace ./test/rig

# Everything: what is not installed and can be, is.
test: tools
	$(GO) mod tidy -diff
	$(GO) mod verify
	test -z "$$(find . -path ./.cache -prune -o -name '*.go' -print | xargs gofmt -l)"
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet $(OTHERS)
	$(MAKE) unit
	$(MAKE) race
	$(MAKE) fuzz
	sh test/mock.sh
	$(MAKE) demo

# The tests, of the program as it is shipped: a result of another one, kept by the
# build cache, says nothing of it. Vet has run.
unit: build
	PARLEY_BINARY=bin/parley $(GO) test -count=1 -vet=off -timeout 900s ./...

# Packages that do their work in one goroutine, or in other processes.
ALONE = cell|cli|command|config|diff|display|event|markdown|permission|transcript

# The race detector needs cgo; the program does not.
race:
	CGO_ENABLED=1 $(GO) test -timeout 900s -race -short -vet=off $$($(GO) list ./internal/... | grep -vE '/internal/($(ALONE))(/|$$)')

# Every fuzzer, so many inputs or so long each.
FUZZTIME ?= 1000x
fuzz:
	sh test/fuzz.sh $(FUZZTIME)

# What takes hours: the laws, kills and storms many times, all under the race
# detector, every fuzzer for minutes.
long: tools build
	PARLEY_LONG=1 PARLEY_BINARY=bin/parley $(GO) test -count=1 -vet=off -timeout 3h ./...
	CGO_ENABLED=1 $(GO) test -count=1 -timeout 3h -race -vet=off ./internal/...
	$(MAKE) fuzz FUZZTIME=3m

# The tests ten times, beside a load of eight, and those of the day. STEADY='-count 3 ./internal/wire/...'
steady:
	PARLEY_STEADY=1 $(GO) run ./test/steady $(STEADY)

tools:
	sh test/tools.sh

demo: build
	bin/parley demo --yes >/dev/null

bench: build
	sh test/bench.sh

# Documents that tests write.
docs:
	$(GO) test ./test/repo ./internal/cli ./internal/wire -run 'Document|Reference|Matrix' -update

clean:
	rm -rf bin .cache
