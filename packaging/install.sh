#!/bin/sh
# Installs idetic for one user, without sudo: curl -fsSL https://github.com/idetic/idetic/releases/latest/download/install.sh | sh
#
#   IDETIC_VERSION=0.1.0        a version other than the latest
#   IDETIC_INSTALL_DIR=FOLDER   a folder other than ~/.local/bin
#   IDETIC_DOWNLOAD=URL         another URL with the archives and their checksums
set -eu

fail() {
    echo "error: $1" >&2
    exit 1
}

fetch() {
    if command -v curl >/dev/null; then
        curl -fsSL -o "$2" "$1"
    elif command -v wget >/dev/null; then
        wget -q -O "$2" "$1"
    else
        fail "neither curl nor wget was found: install one of them"
    fi || fail "cannot download $1"
}

checksum() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1"
    else
        shasum -a 256 "$1"
    fi | cut -d ' ' -f 1
}

# Everything is in one function, so that an incomplete download of this script runs nothing.
main() {
    case "$(uname -s)-$(uname -m)" in
        Linux-x86_64) platform=linux-x64 ;;
        Linux-aarch64 | Linux-arm64) platform=linux-arm64 ;;
        Darwin-arm64) platform=darwin-arm64 ;;
        Darwin-x86_64) platform=darwin-x64 ;;
        *) fail "there is no build for $(uname -s) on $(uname -m): build it with cargo, see docs/install.md" ;;
    esac
    releases=https://github.com/idetic/idetic/releases
    if [ -n "${IDETIC_VERSION:-}" ]; then
        default=$releases/download/v${IDETIC_VERSION#v}
    else
        default=$releases/latest/download
    fi
    from=${IDETIC_DOWNLOAD:-$default}
    folder=${IDETIC_INSTALL_DIR:-$HOME/.local/bin}
    archive=idetic-$platform.tar.gz

    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    fetch "$from/$archive" "$scratch/$archive"
    fetch "$from/$archive.sha256" "$scratch/$archive.sha256"
    expected=$(cut -d ' ' -f 1 "$scratch/$archive.sha256")
    [ "$(checksum "$scratch/$archive")" = "$expected" ] || fail "the checksum of $archive is wrong: nothing was installed"

    tar -xzf "$scratch/$archive" -C "$scratch"
    program=$(echo "$scratch"/idetic-*/bin/idetic)
    version=$("$program" --version) || fail "the program does not run on this system: it needs glibc 2.28 or macOS 11; try Docker"
    mkdir -p "$folder"
    # Renamed into place, so that a running program is not overwritten.
    cp "$program" "$folder/.idetic.new"
    mv -f "$folder/.idetic.new" "$folder/idetic"
    echo "installed $version in $folder"
    case ":$PATH:" in
        *":$folder:"*) ;;
        *) echo "  try: add it to your PATH: export PATH=\"$folder:\$PATH\"" ;;
    esac
}

main
