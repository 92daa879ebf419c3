# The audit log of a node, C:\ProgramData\kubectl-win\audit.log: one JSON object per line for every change and every plan that
# began or ended, with the user who requested it. It outlives the plans. The helper never acts on it.

# A line of a plan. The user who resumes a plan or rolls it back may not be the one who created it.
function Write-Audit {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][string]$Name, [System.Collections.IDictionary]$Fields = @{})
    $whose = [ordered]@{ user = $Run.Requester.user; context = $Run.Requester.context; node = [string]$Run.Plan.node; plan = $Run.Journal.Id; hash = $Run.Hash }
    foreach ($key in $Fields.Keys) { $whose[$key] = $Fields[$key] }
    Write-AuditEntry -Name $Name -Fields $whose
}

# A log that cannot be written stops nothing: the journal of the plan has the same.
function Write-AuditEntry {
    param([Parameter(Mandatory = $true)][string]$Name, [Parameter(Mandatory = $true)][System.Collections.IDictionary]$Fields)
    $entry = [ordered]@{ at = Format-Time -Time ([datetime]::UtcNow); what = $Name }
    foreach ($key in $Fields.Keys) { $entry[$key] = $Fields[$key] }
    try { Add-AuditLine -Line (ConvertTo-JsonText -Value ([pscustomobject]$entry)) } catch { return }
}

# The user and the context of a request. Clients of older versions do not send them.
function Get-Requester {
    param([Parameter(Mandatory = $true)][psobject]$Request)
    $requester = [ordered]@{}
    foreach ($name in @('user', 'context')) {
        $text = Get-Field -InputObject $Request -Name $name
        if ($null -ne $text -and ($text -isnot [string] -or $text.Length -gt 200)) { throw (New-HelperError -Kind BadRequest -Message "'$name' must be a text of at most 200 characters.") }
        $requester[$name] = [string]$text
    }
    [pscustomobject]$requester
}

# One file of at most 4 MiB and its predecessor. It can be read while it is written.
function Add-AuditLine {
    param([Parameter(Mandatory = $true)][string]$Line)
    $path = Join-Path -Path (Get-DataRoot) -ChildPath 'audit.log'
    if ([System.IO.File]::Exists($path) -and (New-Object -TypeName System.IO.FileInfo -ArgumentList $path).Length -gt 4194304) {
        [System.IO.File]::Delete("$path.1")
        [System.IO.File]::Move($path, "$path.1")
    }
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Line + "`n")
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $path, ([System.IO.FileMode]::Append), ([System.IO.FileAccess]::Write), ([System.IO.FileShare]::ReadWrite)
    try {
        $stream.Write($bytes, 0, $bytes.Length)
        $stream.Flush($true)
    } finally {
        $stream.Dispose()
    }
}

# The newest 500 lines, oldest first. Incomplete lines are skipped.
function Invoke-AuditRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    Assert-DataRoot
    $lines = New-Object -TypeName System.Collections.Generic.List[string]
    foreach ($name in @('audit.log.1', 'audit.log')) {
        foreach ($line in @(Read-AuditLine -Path (Join-Path -Path (Get-DataRoot) -ChildPath $name))) { $lines.Add($line) }
    }
    foreach ($line in @($lines | Select-Object -Last 500)) { Write-Line -Writer $Writer -Json ('{"type":"audit",' + $line.Substring(1)) }
}

function Read-AuditLine {
    param([Parameter(Mandatory = $true)][string]$Path)
    if (-not [System.IO.File]::Exists($Path)) { return }
    $share = [System.IO.FileShare]::ReadWrite -bor [System.IO.FileShare]::Delete
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $Path, ([System.IO.FileMode]::Open), ([System.IO.FileAccess]::Read), $share
    try {
        $text = (New-Object -TypeName System.IO.StreamReader -ArgumentList $stream, ([System.Text.Encoding]::UTF8)).ReadToEnd()
    } finally {
        $stream.Dispose()
    }
    foreach ($line in $text.Split([char]10)) { if (Test-JournalLine -Line $line) { $line } }
}
