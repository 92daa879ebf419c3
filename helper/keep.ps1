# -Keep: an installed helper reads the node again and again and keeps what it read last, for later requests.
# The file is in the folder of the container, beside the scripts: it is gone when the container is.

function Get-KeptPath {
    param([Parameter(Mandatory = $true)][string]$ScriptPath)
    $root = Split-Path -Path (Split-Path -Path $ScriptPath -Parent) -Parent
    Join-Path -Path $root -ChildPath 'kubectl-win-kept.ndjson'
}

function Get-UnixTimeMs {
    [System.DateTimeOffset]::UtcNow.ToUnixTimeMilliseconds()
}

# One line of the wire for each section, after a line that says when they were read.
function Save-Kept {
    param([Parameter(Mandatory = $true)][string]$ScriptPath)
    $lines = New-Object -TypeName System.Collections.Generic.List[string]
    $lines.Add('{"takenAtMs":' + (Get-UnixTimeMs) + '}')
    $splatCollect = @{
        ScriptPath       = $ScriptPath
        # Probes go to where a request says.
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
    # Whole or not at all: a request may read it at this moment.
    if ([System.IO.File]::Exists($path)) {
        [System.IO.File]::Replace($part, $path, [System.Management.Automation.Language.NullString]::Value)
    } else {
        [System.IO.File]::Move($part, $path)
    }
}

# Ends after a day, and its container is started again: no process of ours runs on a node without end.
function Invoke-Keep {
    param([Parameter(Mandatory = $true)][string]$ScriptPath, [Parameter(Mandatory = $true)][int]$IntervalSeconds)
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $random = New-Object -TypeName System.Random
    while ($clock.Elapsed.TotalSeconds -lt 86400) {
        try {
            Save-Kept -ScriptPath $ScriptPath
        } catch {
            # What was kept before stays, and gets too old for those who ask.
            [System.Console]::Error.WriteLine('kubectl-win: ' + (ConvertTo-ErrorObject -ErrorRecord $_).message)
        }
        # Not all nodes of a fleet at the same moment.
        Start-Sleep -Milliseconds $random.Next($IntervalSeconds * 900, $IntervalSeconds * 1100)
    }
}

# What is kept, if it is young enough: its age, and the line of each section by name. Nothing otherwise.
function Read-Kept {
    param([Parameter(Mandatory = $true)][string]$ScriptPath, [Parameter(Mandatory = $true)][int]$MaxAgeMs)
    $path = Get-KeptPath -ScriptPath $ScriptPath
    if (-not [System.IO.File]::Exists($path)) { return }
    $lines = [System.IO.File]::ReadAllLines($path)
    if ($lines.Length -lt 2 -or $lines[0] -notmatch '^\{"takenAtMs":([0-9]{1,15})\}\z') { return }
    $age = (Get-UnixTimeMs) - [long]$Matches[1]
    # A clock that was set back says nothing of its age.
    if ($age -lt 0 -or $age -gt $MaxAgeMs) { return }
    $sections = @{}
    foreach ($line in $lines) {
        if ($line -cmatch '^\{"type":"section","name":"([A-Za-z]{1,40})"') { $sections[$Matches[1]] = $line }
    }
    [pscustomobject]@{ AgeMs = $age; Sections = $sections }
}
