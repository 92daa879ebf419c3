# The state file: {"sections": {...}, "errors": {...}}, one writer at a time.

function Open-StateLock {
    for ($try = 0; $try -lt 2000; $try++) {
        try {
            return [System.IO.File]::Open("$env:KUBECTL_WIN_STATE.lock", 'OpenOrCreate', 'ReadWrite', 'None')
        } catch [System.IO.IOException] {
            Start-Sleep -Milliseconds 10
        }
    }
    throw "The state file is locked: $env:KUBECTL_WIN_STATE"
}

function ConvertFrom-StateText {
    param([string]$Text)
    # PowerShell 7 would turn times into dates and lose their offset.
    if ($PSVersionTable.PSVersion.Major -ge 7) { return ConvertFrom-Json -InputObject $Text -DateKind String }
    ConvertFrom-Json -InputObject $Text
}

# Read again only when the file has changed: a section may ask a hundred times. Whoever gets it must not change it.
$script:known = @{ Stamp = ''; State = $null }

function Read-State {
    $lock = Open-StateLock
    try {
        $file = [System.IO.FileInfo]::new($env:KUBECTL_WIN_STATE)
        $stamp = "$($file.LastWriteTimeUtc.Ticks) $($file.Length)"
        if ($script:known.Stamp -ne $stamp) {
            $script:known = @{ Stamp = $stamp; State = ConvertFrom-StateText -Text ([System.IO.File]::ReadAllText($file.FullName)) }
        }
        $script:known.State
    } finally {
        $lock.Dispose()
    }
}

function Edit-State {
    param([scriptblock]$Change)
    $lock = Open-StateLock
    try {
        $state = ConvertFrom-StateText -Text ([System.IO.File]::ReadAllText($env:KUBECTL_WIN_STATE))
        $before = ConvertTo-Json -InputObject $state -Depth 40 -Compress
        & $Change $state
        $text = ConvertTo-Json -InputObject $state -Depth 40 -Compress
        if ($text -ceq $before) { return }
        # Replaced as a whole: the stand-in for ovs-vsctl takes no lock.
        [System.IO.File]::WriteAllText("$env:KUBECTL_WIN_STATE.next", $text)
        [System.IO.File]::Replace("$env:KUBECTL_WIN_STATE.next", $env:KUBECTL_WIN_STATE, [NullString]::Value)
    } finally {
        $lock.Dispose()
    }
    # A power cut right after the change, before anybody could write down that it was made.
    if ($env:KUBECTL_WIN_CUT_AFTER_CHANGE) { [System.Diagnostics.Process]::GetCurrentProcess().Kill() }
}

function Get-Rows {
    param($State, [string]$Section)
    $rows = $State.sections.$Section
    if ($null -ne $rows) { @($rows) }
}

function Set-Rows {
    param($State, [string]$Section, $Rows)
    $State.sections | Add-Member -NotePropertyName $Section -NotePropertyValue @($Rows) -Force
}

# The rows of a section; a section that the state says cannot be read fails here in the same way.
function Read-Section {
    param([string]$Section)
    $state = Read-State
    $failure = $state.errors.$Section
    if ($null -eq $failure) { return @(Get-Rows -State $state -Section $Section) }
    switch ($failure.kind) {
        'Timeout' { Start-Sleep -Seconds 3600 }
        'NotInstalled' { throw (New-ComError -Code 0x8004100E -Message 'Invalid namespace') }
        'AccessDenied' { throw [System.UnauthorizedAccessException]::new($failure.message) }
        'CommandNotFound' { throw [System.Management.Automation.CommandNotFoundException]::new($failure.message) }
        default { throw [System.InvalidOperationException]::new($failure.message) }
    }
}

function New-ComError {
    param([int]$Code, [string]$Message)
    [System.Runtime.InteropServices.COMException]::new($Message, $Code)
}

function ConvertTo-Time {
    param($Text)
    if ($Text) { [System.DateTimeOffset]::Parse($Text, [System.Globalization.CultureInfo]::InvariantCulture) }
}

# Names back to the numbers that CIM has.
function ConvertTo-Number {
    param($Value, [hashtable]$Numbers)
    if ($null -ne $Value -and $Numbers.ContainsKey([string]$Value)) { return $Numbers[[string]$Value] }
    $Value
}
