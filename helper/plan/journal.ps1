# The journal of a plan: one JSON object per line, flushed to the disk before and after every step.

function Get-JournalPath {
    param([Parameter(Mandatory = $true)][string]$Id)
    Join-Path -Path (Get-PlanFolder -Id $Id) -ChildPath 'journal.ndjson'
}

# The complete lines as text. A power cut may have left half a line.
function Read-JournalLine {
    param([Parameter(Mandatory = $true)][string]$Id)
    $path = Get-JournalPath -Id $Id
    if (-not [System.IO.File]::Exists($path)) { return }
    $share = [System.IO.FileShare]::ReadWrite -bor [System.IO.FileShare]::Delete
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $path, ([System.IO.FileMode]::Open), ([System.IO.FileAccess]::Read), $share
    try {
        $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList $stream, ([System.Text.Encoding]::UTF8)
        $text = $reader.ReadToEnd()
    } finally {
        $stream.Dispose()
    }
    $lines = $text.Split([char]10)
    for ($i = 0; $i -lt $lines.Count - 1; $i++) { if (Test-JournalLine -Line $lines[$i]) { $lines[$i] } }
}

# Half a line may also end with a brace.
function Test-JournalLine {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Line)
    if (-not $Line.StartsWith('{') -or -not $Line.EndsWith('}')) { return $false }
    try { $null -ne (ConvertFrom-Json -InputObject $Line) } catch { $false }
}

function Read-Journal {
    param([Parameter(Mandatory = $true)][string]$Id)
    foreach ($line in @(Read-JournalLine -Id $Id)) { ConvertFrom-Json -InputObject $line }
}

# MayFail: the plan continues if the disk is full. An entry that cannot be written is kept in memory only.
function Open-Journal {
    param([Parameter(Mandatory = $true)][string]$Id, [switch]$MayFail)
    # A buffer of one byte disables buffering: a write that failed must not be repeated later, in the middle of another line.
    $splatStream = @{
        TypeName     = 'System.IO.FileStream'
        ArgumentList = (Get-JournalPath -Id $Id), ([System.IO.FileMode]::OpenOrCreate), ([System.IO.FileAccess]::ReadWrite), ([System.IO.FileShare]::Read), 1
    }
    $journal = [pscustomobject]@{
        Id      = $Id
        Stream  = New-Object @splatStream
        Entries = New-Object -TypeName System.Collections.Generic.List[object]
        MayFail = [bool]$MayFail
    }
    # Half a line is ended, so that the next entry starts a new line.
    if ($journal.Stream.Length -gt 0) {
        [void]$journal.Stream.Seek(-1, [System.IO.SeekOrigin]::End)
        if ($journal.Stream.ReadByte() -ne 10) { Add-JournalText -Journal $journal -Text "`n" }
    }
    foreach ($entry in @(Read-Journal -Id $Id)) { if ($null -ne $entry) { $journal.Entries.Add($entry) } }
    $journal
}

# Writes all of it or nothing: a full disk may accept half a line, and the next entry would continue that line.
function Add-JournalText {
    param([Parameter(Mandatory = $true)][psobject]$Journal, [Parameter(Mandatory = $true)][string]$Text)
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Text)
    $end = $Journal.Stream.Length
    try {
        [void]$Journal.Stream.Seek(0, [System.IO.SeekOrigin]::End)
        $Journal.Stream.Write($bytes, 0, $bytes.Length)
        $Journal.Stream.Flush($true)
    } catch {
        Reset-JournalLength -Journal $Journal -Length $end
        if (-not $Journal.MayFail) { throw }
    }
}

function Reset-JournalLength {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][psobject]$Journal, [Parameter(Mandatory = $true)][long]$Length)
    if (-not $PSCmdlet.ShouldProcess($Journal.Id, 'Remove half a line')) { return }
    try {
        $Journal.Stream.SetLength($Length)
    } catch {
        # Then half a line stays, which readers skip.
        return
    }
}

function Write-Journal {
    param(
        [Parameter(Mandatory = $true)][psobject]$Journal,
        [Parameter(Mandatory = $true)][string]$Name,
        [System.Collections.IDictionary]$Fields = @{}
    )
    $seq = 1
    if ($Journal.Entries.Count -gt 0) { $seq = [int]$Journal.Entries[$Journal.Entries.Count - 1].seq + 1 }
    $entry = [ordered]@{ type = 'journal'; plan = $Journal.Id; seq = $seq; at = (Format-Time -Time ([datetime]::UtcNow)); event = $Name }
    foreach ($key in $Fields.Keys) { $entry[$key] = $Fields[$key] }
    Add-JournalText -Journal $Journal -Text ((ConvertTo-JsonText -Value ([pscustomobject]$entry)) + "`n")
    $Journal.Entries.Add([pscustomobject]$entry)
}

# The first entry: what a step saved when it first began is the state before it acted.
function Find-JournalEntry {
    param([Parameter(Mandatory = $true)][psobject]$Journal, [Parameter(Mandatory = $true)][string[]]$Names, [int]$Step = -1)
    foreach ($entry in $Journal.Entries) {
        if ($Names -contains $entry.event -and ($Step -lt 0 -or $entry.step -eq $Step)) { return $entry }
    }
}

# The outcome of the plan; nothing if it was interrupted since it last began.
function Get-PlanOutcome {
    param([Parameter(Mandatory = $true)][AllowEmptyCollection()][object[]]$Entries)
    $outcome = $null
    foreach ($entry in $Entries) {
        if ($entry.event -eq 'plan.begin') { $outcome = $null }
        if ($entry.event -eq 'plan.end') { $outcome = $entry.outcome }
    }
    $outcome
}
