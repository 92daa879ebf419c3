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
    for ($i = 0; $i -lt $lines.Count - 1; $i++) { if ($lines[$i].StartsWith('{') -and $lines[$i].EndsWith('}')) { $lines[$i] } }
}

function Read-Journal {
    param([Parameter(Mandatory = $true)][string]$Id)
    foreach ($line in @(Read-JournalLine -Id $Id)) { ConvertFrom-Json -InputObject $line }
}

function Open-Journal {
    param([Parameter(Mandatory = $true)][string]$Id)
    $path = Get-JournalPath -Id $Id
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $path, ([System.IO.FileMode]::OpenOrCreate), ([System.IO.FileAccess]::ReadWrite), ([System.IO.FileShare]::Read)
    # Half a line gets an end, so that the next one starts on its own.
    if ($stream.Length -gt 0) {
        [void]$stream.Seek(-1, [System.IO.SeekOrigin]::End)
        if ($stream.ReadByte() -ne 10) { $stream.WriteByte(10) }
    }
    $entries = New-Object -TypeName System.Collections.Generic.List[object]
    foreach ($entry in @(Read-Journal -Id $Id)) { if ($null -ne $entry) { $entries.Add($entry) } }
    [pscustomobject]@{ Id = $Id; Stream = $stream; Entries = $entries }
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
    $line = ConvertTo-JsonText -Value ([pscustomobject]$entry)
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($line + "`n")
    [void]$Journal.Stream.Seek(0, [System.IO.SeekOrigin]::End)
    $Journal.Stream.Write($bytes, 0, $bytes.Length)
    $Journal.Stream.Flush($true)
    $Journal.Entries.Add([pscustomobject]$entry)
}

# The first begin of a step: what it saved is how things were before it first acted.
function Find-JournalEntry {
    param([Parameter(Mandatory = $true)][psobject]$Journal, [Parameter(Mandatory = $true)][string[]]$Names, [int]$Step = -1)
    foreach ($entry in $Journal.Entries) {
        if ($Names -contains $entry.event -and ($Step -lt 0 -or $entry.step -eq $Step)) { return $entry }
    }
}
