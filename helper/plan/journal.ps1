# The journal of a plan: one JSON object a line, written through to the disk before and after every step.

function Get-JournalPath {
    param([Parameter(Mandatory = $true)][string]$Id)
    Join-Path -Path (Get-PlanFolder -Id $Id) -ChildPath 'journal.ndjson'
}

# The lines that are whole, as they were written. A power cut may have left half a line.
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

# Half a line may end with a brace too.
function Test-JournalLine {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Line)
    if (-not $Line.StartsWith('{') -or -not $Line.EndsWith('}')) { return $false }
    try { $null -ne (ConvertFrom-Json -InputObject $Line) } catch { $false }
}

function Read-Journal {
    param([Parameter(Mandatory = $true)][string]$Id)
    foreach ($line in @(Read-JournalLine -Id $Id)) { ConvertFrom-Json -InputObject $line }
}

# MayFail: nothing depends on the disk any more. An entry that cannot be written is kept in memory alone.
function Open-Journal {
    param([Parameter(Mandatory = $true)][string]$Id, [switch]$MayFail)
    # A buffer of one byte is none: what could not be written must not be written later, in the middle of another line.
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
    # Half a line gets an end, so that the next one starts on its own.
    if ($journal.Stream.Length -gt 0) {
        [void]$journal.Stream.Seek(-1, [System.IO.SeekOrigin]::End)
        if ($journal.Stream.ReadByte() -ne 10) { Add-JournalText -Journal $journal -Text "`n" }
    }
    foreach ($entry in @(Read-Journal -Id $Id)) { if ($null -ne $entry) { $journal.Entries.Add($entry) } }
    $journal
}

# All of it on the disk, or none: a full disk may take half a line.
function Add-JournalText {
    param([Parameter(Mandatory = $true)][psobject]$Journal, [Parameter(Mandatory = $true)][string]$Text)
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Text)
    $end = $Journal.Stream.Length
    try {
        [void]$Journal.Stream.Seek(0, [System.IO.SeekOrigin]::End)
        $Journal.Stream.Write($bytes, 0, $bytes.Length)
        $Journal.Stream.Flush($true)
    } catch {
        if (-not $Journal.MayFail) { throw }
        Reset-JournalLength -Journal $Journal -Length $end
    }
}

function Reset-JournalLength {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][psobject]$Journal, [Parameter(Mandatory = $true)][long]$Length)
    if (-not $PSCmdlet.ShouldProcess($Journal.Id, 'Cut off what was written of a line')) { return }
    try {
        $Journal.Stream.SetLength($Length)
    } catch {
        # Then half a line stays, which no reader takes for one.
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

# The first begin of a step: what it saved is how things were before it first acted.
function Find-JournalEntry {
    param([Parameter(Mandatory = $true)][psobject]$Journal, [Parameter(Mandatory = $true)][string[]]$Names, [int]$Step = -1)
    foreach ($entry in $Journal.Entries) {
        if ($Names -contains $entry.event -and ($Step -lt 0 -or $entry.step -eq $Step)) { return $entry }
    }
}

# What the plan has come to; nothing, where it was cut short since it last began.
function Get-PlanOutcome {
    param([Parameter(Mandatory = $true)][AllowEmptyCollection()][object[]]$Entries)
    $outcome = $null
    foreach ($entry in $Entries) {
        if ($entry.event -eq 'plan.begin') { $outcome = $null }
        if ($entry.event -eq 'plan.end') { $outcome = $entry.outcome }
    }
    $outcome
}
