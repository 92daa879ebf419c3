# The audit log of a node: C:\ProgramData\kubectl-win\audit.log, one JSON object a line for every change and every plan that began or
# ended, with who asked for it. It outlives the plans. Nothing is decided by it: it is read for people alone.

# A log that cannot be written stops nothing: the journal of the plan has it all.
function Write-Audit {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][string]$Name, [System.Collections.IDictionary]$Fields = @{})
    $entry = [ordered]@{
        at      = Format-Time -Time ([datetime]::UtcNow)
        what    = $Name
        user    = [string](Get-Field -InputObject $Run.Plan -Name createdBy)
        context = [string](Get-Field -InputObject $Run.Plan -Name context)
        node    = [string]$Run.Plan.node
        plan    = $Run.Journal.Id
        hash    = $Run.Hash
    }
    foreach ($key in $Fields.Keys) { $entry[$key] = $Fields[$key] }
    try { Add-AuditLine -Line (ConvertTo-JsonText -Value ([pscustomobject]$entry)) } catch { return }
}

# One file of at most 4 MiB, and the one before it. Others may read it while it is written.
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

# The newest 500 lines, oldest first. Lines that are no objects were not written by us, or not to their end.
function Invoke-AuditRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
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
