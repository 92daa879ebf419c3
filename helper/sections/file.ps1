# Files, registry values and logs from the fixed lists of windows/cni-paths.ps1.

# The files that match a pattern, as [IO.FileInfo]. A folder that cannot be listed is returned as an entry with the reason.
function Resolve-HostFile {
    param([Parameter(Mandatory = $true)][string]$Pattern)
    $failures = New-Object -TypeName System.Collections.Generic.List[object]
    $folders = @(Get-HostPath -Path 'C:\')
    $names = @($Pattern.Substring(3) -split '\\')
    for ($i = 0; $i -lt $names.Count; $i++) {
        $last = $i -eq $names.Count - 1
        $folders = @(foreach ($folder in $folders) {
                if (-not [System.IO.Directory]::Exists($folder)) { continue }
                try {
                    if ($last) {
                        [System.IO.Directory]::GetFiles($folder, $names[$i])
                    } else {
                        [System.IO.Directory]::GetDirectories($folder, $names[$i])
                    }
                } catch {
                    if (Test-GoneError -ErrorRecord $_) { continue }
                    $failures.Add([pscustomobject]@{ Path = Get-ShownPath -Path $folder; Exists = $true; Error = (ConvertTo-ErrorObject -ErrorRecord $_).message })
                }
            })
    }
    foreach ($path in @($folders | Sort-Object)) { New-Object -TypeName System.IO.FileInfo -ArgumentList $path }
    $failures.ToArray()
}

function Get-FileSection {
    # A folder that cannot be listed is reported only once, also if several patterns use it.
    $unlisted = @{}
    foreach ($pattern in @(Get-CniFileList) + @(Get-InstalledFileList) + @(Get-RuntimeFileList)) {
        $files = @(Resolve-HostFile -Pattern $pattern)
        if ($files.Count -eq 0 -and $pattern -notmatch '\*') { [pscustomobject]@{ Path = $pattern; Exists = $false } }
        foreach ($file in $files) {
            if ($file -is [System.IO.FileInfo]) {
                Get-FileEntry -File $file
            } elseif (-not $unlisted.ContainsKey($file.Path)) {
                $unlisted[$file.Path] = $true
                $file
            }
        }
    }
    foreach ($path in @(Get-NamedFileList)) {
        $files = @(Resolve-HostFile -Pattern $path)
        if ($files.Count -eq 0) { [pscustomobject]@{ Path = $path; Exists = $false } }
        foreach ($file in $files) {
            if ($file -is [System.IO.FileInfo]) { [pscustomobject]@{ Path = Get-ShownPath -Path $file.FullName; Exists = $true } }
        }
    }
}

# A file may be removed after its folder was listed, and is then skipped. One that cannot be read is reported with the reason.
function Get-FileEntry {
    param([Parameter(Mandatory = $true)][System.IO.FileInfo]$File)
    $entry = [ordered]@{ Path = Get-ShownPath -Path $File.FullName; Exists = $true }
    try {
        $entry['Length'] = $File.Length
        $entry['LastWriteTime'] = Format-Time -Time $File.LastWriteTime
        if (Test-ReadableFile -File $File) { $entry['Content'] = Hide-Credential -Text (Read-SharedText -Path $File.FullName -Bytes 131072) }
    } catch {
        if (Test-GoneError -ErrorRecord $_) { return }
        $entry['Error'] = (ConvertTo-ErrorObject -ErrorRecord $_).message
    }
    [pscustomobject]$entry
}

function Test-GoneError {
    param([Parameter(Mandatory = $true)][System.Management.Automation.ErrorRecord]$ErrorRecord)
    $exception = $ErrorRecord.Exception
    while ($null -ne $exception.InnerException) { $exception = $exception.InnerException }
    $exception -is [System.IO.FileNotFoundException] -or $exception -is [System.IO.DirectoryNotFoundException]
}

# Hides credentials of registries and clouds in TOML, YAML, JSON and scripts.
function Hide-Credential {
    param([AllowEmptyString()][string]$Text)
    $keys = 'user_?name|[\w.-]*password|passwd|auth|authorization|bearer|[\w.-]*token|[\w.-]*secret|[\w.-]*(?:api|access|account|private|shared)[_-]?key|aadClientId'
    $hidden = $Text -replace "(?im)(""(?:$keys)""\s*:\s*)(?:""(?:\\.|[^""\\\r\n])*""|[^\s,}\]\[{]+)", '$1"hidden"'
    $hidden = $hidden -replace "(?im)^(\s*['""]?(?:$keys)['""]?\s*=)[^\r\n]*", '$1 "hidden"'
    # Inline tables of TOML: { auth = { username = "a", password = "b" } }.
    $hidden = $hidden -replace "(?im)([{,]\s*['""]?(?:$keys)['""]?\s*=\s*)(?:""(?:\\.|[^""\\\r\n])*""|'[^'\r\n]*')", '$1"hidden"'
    $hidden = $hidden -replace "(?im)^(\s*-?\s*(?:$keys)\s*:)[ \t]+[^\s{\[][^\r\n]*", '$1 "hidden"'
    Hide-ArgumentSecret -Text $hidden
}

# Hides the values of secret options, and credentials in URLs.
function Hide-ArgumentSecret {
    param([AllowNull()][AllowEmptyString()][string]$Text)
    if ([string]::IsNullOrEmpty($Text)) { return $Text }
    $hidden = $Text -replace '(?i)((?:^|[\s"''])--?[\w-]*(?:password|token|secret)(?:=|[ \t]+))(?!-)("[^"\r\n]*"|''[^''\r\n]*''|[^\s"'']+)', '$1hidden'
    $hidden -replace '(?i)([a-z][a-z0-9+.-]*://)[^\s/@:"'']+:[^\s/@"'']+@', '$1hidden@'
}

# Not programs and databases, and nothing that has credentials.
function Test-ReadableFile {
    param([Parameter(Mandatory = $true)][System.IO.FileInfo]$File)
    if ($File.Length -gt 131072) { return $false }
    if ($File.Name -match '(?i)kubeconfig|token|\.key$|\.crt$|\.pem$') { return $false }
    if ($File.DirectoryName -match '[\\/]bin$') { return $false }
    if ($File.FullName -match '[\\/]var[\\/]lib[\\/]cni[\\/]') { return $true }
    $File.Name -match '(?i)\.(conf|conflist|json|toml|env|pid)$|^nodename$|^StartKubelet\.ps1$'
}

# The last bytes of a file that another process may be writing.
function Read-SharedText {
    param([Parameter(Mandatory = $true)][string]$Path, [Parameter(Mandatory = $true)][int]$Bytes)
    $share = [System.IO.FileShare]::ReadWrite -bor [System.IO.FileShare]::Delete
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $Path, ([System.IO.FileMode]::Open), ([System.IO.FileAccess]::Read), $share
    try {
        if ($stream.Length -gt $Bytes) { [void]$stream.Seek(-$Bytes, [System.IO.SeekOrigin]::End) }
        $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList $stream, ([System.Text.Encoding]::UTF8)
        $reader.ReadToEnd()
    } finally {
        $stream.Dispose()
    }
}

function Get-LogSection {
    param([int]$Bytes = 16384, [int]$BytesInAll = [int]::MaxValue)
    $files = @(foreach ($pattern in @(Get-CniLogList) + @(Get-InstalledLogList)) { Resolve-HostFile -Pattern $pattern })
    $shares = Get-LogShare -Files $files -Bytes $Bytes -BytesInAll $BytesInAll
    foreach ($file in $files) {
        if ($file -isnot [System.IO.FileInfo]) {
            $file | Select-Object -Property 'Path', 'Error'
            continue
        }
        $entry = [ordered]@{ Path = Get-ShownPath -Path $file.FullName }
        try {
            $entry['Length'] = $file.Length
            $entry['LastWriteTime'] = Format-Time -Time $file.LastWriteTime
            $entry['Tail'] = Read-SharedText -Path $file.FullName -Bytes $shares[$file.FullName]
        } catch {
            if (Test-GoneError -ErrorRecord $_) { continue }
            $entry['Error'] = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        [pscustomobject]$entry
    }
}

# The number of bytes to read of each log. The smallest logs come first: what they do not use goes to the others.
function Get-LogShare {
    param(
        [Parameter(Mandatory = $true)][AllowEmptyCollection()][object[]]$Files,
        [Parameter(Mandatory = $true)][int]$Bytes,
        [Parameter(Mandatory = $true)][int]$BytesInAll
    )
    $lengths = @{}
    foreach ($file in $Files) {
        # A file may have been removed since it was listed.
        if ($file -is [System.IO.FileInfo]) { $lengths[$file.FullName] = if ($file.Exists) { $file.Length } else { 0 } }
    }
    $shares = @{}
    $left = $BytesInAll
    foreach ($log in @($lengths.GetEnumerator() | Sort-Object -Property Value)) {
        $share = [int][math]::Min($Bytes, [math]::Floor($left / ($lengths.Count - $shares.Count)))
        $shares[$log.Key] = $share
        $left -= [math]::Min($share, $log.Value)
    }
    $shares
}

function Get-RegistrySection {
    foreach ($entry in @(Get-CniRegistryList)) {
        if (-not (Test-Path -LiteralPath $entry.Path)) { continue }
        $value = Get-Field -InputObject (Get-ItemProperty -LiteralPath $entry.Path) -Name $entry.Name
        if ($null -ne $value) { [pscustomobject]@{ Path = $entry.Path; Name = $entry.Name; Value = $value } }
    }
}
