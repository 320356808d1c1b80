# Template: `cargo xtask dist brew` fills it in once the archives of every platform exist.
class Idetic < Formula
  desc "Perfect recall for AI agents: one append-only log, every kind of memory a view of it"
  homepage "https://github.com/idetic/idetic"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/idetic/idetic/releases/download/v@VERSION@/idetic-darwin-arm64.tar.gz"
      sha256 "@SHA256 darwin-arm64@"
    end
    on_intel do
      url "https://github.com/idetic/idetic/releases/download/v@VERSION@/idetic-darwin-x64.tar.gz"
      sha256 "@SHA256 darwin-x64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/idetic/idetic/releases/download/v@VERSION@/idetic-linux-arm64.tar.gz"
      sha256 "@SHA256 linux-arm64@"
    end
    on_intel do
      url "https://github.com/idetic/idetic/releases/download/v@VERSION@/idetic-linux-x64.tar.gz"
      sha256 "@SHA256 linux-x64@"
    end
  end

  def install
    bin.install "bin/idetic"
    man1.install "share/man/man1/idetic.1"
    bash_completion.install "share/completions/idetic.bash" => "idetic"
    fish_completion.install "share/completions/idetic.fish"
    zsh_completion.install "share/completions/idetic.zsh" => "_idetic"
  end

  service do
    run [opt_bin/"idetic", "serve"]
    keep_alive true
  end

  test do
    ENV["IDETIC_HOME"] = testpath/"memory"
    system bin/"idetic", "init"
    system bin/"idetic", "remember", "The build needs Node 20"
    assert_match "Node 20", shell_output("#{bin}/idetic recall 'which version of Node?'")
  end
end
