# -Keep: the installed helper reads the node at an interval and keeps the newest result for requests.
# The file is in the folder of the container, next to the scripts, and is removed with the container.

function Get-KeptPath {
    param([Parameter(Mandatory = $true)][string]$ScriptPath)
    $root = Split-Path -Path (Split-Path -Path $ScriptPath -Parent) -Parent
    Join-Path -Path $root -ChildPath 'kubectl-win-kept.ndjson'
}

function Get-UnixTimeMs {
    [System.DateTimeOffset]::UtcNow.ToUnixTimeMilliseconds()
}

# One line of the wire per section, after a line with the time at which they were read.
function Save-Kept {
    param([Parameter(Mandatory = $true)][string]$ScriptPath)
    $lines = New-Object -TypeName System.Collections.Generic.List[string]
    $lines.Add('{"takenAtMs":' + (Get-UnixTimeMs) + '}')
    $splatCollect = @{
        ScriptPath       = $ScriptPath
        # The targets of probes are in the request.
        Sections         = @((Get-SectionTable).Keys | Where-Object -FilterScript { $_ -ne 'probes' })
        SectionTimeoutMs = 30000
        DeadlineMs       = 240000
        OnSection        = {
            param([string]$Name, [long]$Milliseconds, [AllowNull()][string]$Json, [AllowNull()][object]$Failure)
            $lines.Add((ConvertTo-SectionLine -Name $Name -Milliseconds $Milliseconds -Json $Json -Failure $Failure))
        }
    }
    Invoke-Collect @splatCollect
    $path = Get-KeptPath -ScriptPath $ScriptPath
    $part = $path + '.part'
    [System.IO.File]::WriteAllLines($part, $lines.ToArray(), (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false))
    # Replaced as a whole: a request may read it at this moment.
    if ([System.IO.File]::Exists($path)) {
        [System.IO.File]::Replace($part, $path, [System.Management.Automation.Language.NullString]::Value)
    } else {
        [System.IO.File]::Move($part, $path)
    }
}

# Exits after a day, and its container is restarted: no process of the helper runs forever.
function Invoke-Keep {
    param([Parameter(Mandatory = $true)][string]$ScriptPath, [Parameter(Mandatory = $true)][int]$IntervalSeconds)
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $random = New-Object -TypeName System.Random
    while ($clock.Elapsed.TotalSeconds -lt 86400) {
        try {
            Save-Kept -ScriptPath $ScriptPath
        } catch {
            # The previous result stays until it is too old for a request.
            [System.Console]::Error.WriteLine('kubectl-win: ' + (ConvertTo-ErrorObject -ErrorRecord $_).message)
        }
        # Random, so that not all nodes of a cluster read at the same time.
        Start-Sleep -Milliseconds $random.Next($IntervalSeconds * 900, $IntervalSeconds * 1100)
    }
}

# The kept result if it is new enough: its age, and the line of each section by name. Nothing otherwise.
function Read-Kept {
    param([Parameter(Mandatory = $true)][string]$ScriptPath, [Parameter(Mandatory = $true)][int]$MaxAgeMs)
    $path = Get-KeptPath -ScriptPath $ScriptPath
    if (-not [System.IO.File]::Exists($path)) { return }
    $lines = [System.IO.File]::ReadAllLines($path)
    if ($lines.Length -lt 2 -or $lines[0] -notmatch '^\{"takenAtMs":([0-9]{1,15})\}\z') { return }
    $age = (Get-UnixTimeMs) - [long]$Matches[1]
    # The age is unknown if the clock was set back.
    if ($age -lt 0 -or $age -gt $MaxAgeMs) { return }
    $sections = @{}
    foreach ($line in $lines) {
        if ($line -cmatch '^\{"type":"section","name":"([A-Za-z]{1,40})"') { $sections[$Matches[1]] = $line }
    }
    [pscustomobject]@{ AgeMs = $age; Sections = $sections }
}
