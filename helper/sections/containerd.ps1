# The folders of containerd for CNI plugins and their configuration, from containerd itself, which adds defaults and imports.

function Get-ContainerdSection {
    $command = Get-ContainerdCommand
    $arguments = @()
    if ($command.Config -ne '') { $arguments = @('--config', $command.Config) }
    $dump = Invoke-NativeChecked -Path $command.Program -Arguments ($arguments + @('config', 'dump'))
    # Nothing else is passed on: the configuration may have credentials of registries.
    [pscustomobject]@{
        Config  = $command.Config
        ConfDir = @(ConvertFrom-TomlText -Toml $dump -Key conf_dir) | Select-Object -First 1
        BinDirs = @(@(ConvertFrom-TomlText -Toml $dump -Key bin_dir) + @(ConvertFrom-TomlText -Toml $dump -Key bin_dirs) | Select-Object -Unique)
    }
}

# The running containerd, which RKE2 starts without a service; otherwise the one of the service.
function Get-ContainerdCommand {
    $running = Get-CimInstance -ClassName Win32_Process | Where-Object -FilterScript { $_.Name -eq 'containerd.exe' } | Select-Object -First 1
    $line = [string](Get-Field -InputObject $running -Name CommandLine)
    if ($line -eq '') {
        $service = Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $_.Name -eq 'containerd' } | Select-Object -First 1
        if ($null -eq $service) { throw (New-HelperError -Kind NotInstalled -Message 'containerd is not running, and its service does not exist') }
        $wrapped = Get-WrappedProgram -Name containerd
        $line = [string]$service.PathName
        if ($null -ne $wrapped) { $line = '"{0}" {1}' -f $wrapped.Application, $wrapped.Arguments }
    }
    $program = ''
    if ($line -match '^\s*"([^"]+)"' -or $line -match '^\s*(\S+)') { $program = $Matches[1] }
    if ($program -notmatch '[\\/]containerd(\.exe)?$') { throw (New-HelperError -Kind Failed -Message "Not a path of containerd: $program") }
    $config = ''
    if ($line -match '(?<![\w-])(?:--config|-c)[= ]+"([^"]+)"' -or $line -match '(?<![\w-])(?:--config|-c)[= ]+([^\s"]+)') { $config = $Matches[1] }
    if ($program -match '^[Cc]:\\') { $program = Get-HostPath -Path $program }
    [pscustomobject]@{ Program = $program; Config = $config }
}

# The texts of a key. Texts in 'single' quotes have no escapes, those in "double" quotes have the escapes of JSON.
function ConvertFrom-TomlText {
    param([Parameter(Mandatory = $true)][string]$Toml, [Parameter(Mandatory = $true)][string]$Key)
    foreach ($line in [regex]::Matches($Toml, "(?m)^\s*$Key\s*=\s*(.+)$")) {
        foreach ($text in [regex]::Matches($line.Groups[1].Value, '''([^'']*)''|"(?:\\.|[^"\\])*"')) {
            if ($text.Value.StartsWith("'")) { $text.Groups[1].Value } else { ConvertFrom-Json -InputObject $text.Value }
        }
    }
}

# Patterns for the files in folders that only the configuration of containerd names. The section containerd reports errors.
function Get-RuntimeFileList {
    try { $runtime = Get-ContainerdSection } catch { return }
    foreach ($folder in @($runtime.ConfDir) + @($runtime.BinDirs)) {
        $path = ([string]$folder).Replace('/', '\').TrimEnd('\')
        if ($path.StartsWith('\')) { $path = "C:$path" }
        if ($path -match '^[Cc]:\\[^*?]+$' -and @(Get-CniFileList) -notcontains "$path\*") { "$path\*" }
    }
}
