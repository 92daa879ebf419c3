# The state file: {"sections": {...}, "errors": {...}}, one writer at a time.

# The lock is a file that only one can make; it names the process that holds it. lock.mjs keeps to the same.
# It comes to its place as a whole: one without a name, of a process that was killed, would hold everyone up.
function New-LockFile {
    param([string]$Path)
    $own = "$Path.$PID.$([System.Threading.Thread]::CurrentThread.ManagedThreadId)"
    [System.IO.File]::WriteAllText($own, [string]$PID)
    try {
        # A link is made only where nothing is yet, in one go; .NET looks first when it moves a file.
        $null -ne (New-Item -ItemType HardLink -Path $Path -Target $own -ErrorAction Stop)
    } catch {
        $false
    } finally {
        [System.IO.File]::Delete($own)
    }
}

function Test-LockIsHeld {
    param([string]$Path)
    try {
        $holder = [System.IO.File]::ReadAllText($Path)
    } catch [System.IO.IOException], [System.UnauthorizedAccessException] {
        return $true
    }
    $null -ne (Get-Process -Id $holder -ErrorAction SilentlyContinue)
}

# Only one may diagnose at a time: otherwise a second one would take a lock that a third has acquired since.
function Remove-DeadLock {
    param([string]$Path)
    if ((Test-LockIsHeld -Path $Path) -or -not (New-LockFile -Path "$Path.dead")) { return }
    try {
        if (-not (Test-LockIsHeld -Path $Path)) { [System.IO.File]::Delete($Path) }
    } finally {
        [System.IO.File]::Delete("$Path.dead")
    }
}

function Lock-State {
    $lock = "$env:KUBECTL_WIN_STATE.lock"
    for ($try = 0; $try -lt 2000; $try++) {
        if (New-LockFile -Path $lock) { return }
        # It mostly is free again in a moment, and to look for a process takes longer.
        if ($try % 50 -eq 49) { Remove-DeadLock -Path $lock }
        Start-Sleep -Milliseconds 10
    }
    throw "The state file is locked: $env:KUBECTL_WIN_STATE"
}

function Unlock-State {
    [System.IO.File]::Delete("$env:KUBECTL_WIN_STATE.lock")
}

function ConvertFrom-StateText {
    param([string]$Text)
    # PowerShell 7 would turn times into dates and lose their offset.
    if ($PSVersionTable.PSVersion.Major -ge 7) { return ConvertFrom-Json -InputObject $Text -DateKind String }
    ConvertFrom-Json -InputObject $Text
}

# Read again only when the file has changed: a section may ask a hundred times. Callers must not change it.
$script:known = @{ Stamp = ''; State = $null }

function Read-State {
    Lock-State
    try {
        $file = [System.IO.FileInfo]::new($env:KUBECTL_WIN_STATE)
        $stamp = "$($file.LastWriteTimeUtc.Ticks) $($file.Length)"
        if ($script:known.Stamp -ne $stamp) {
            $script:known = @{ Stamp = $stamp; State = ConvertFrom-StateText -Text ([System.IO.File]::ReadAllText($file.FullName)) }
        }
        $script:known.State
    } finally {
        Unlock-State
    }
}

function Edit-State {
    param([scriptblock]$Change)
    Lock-State
    try {
        $state = ConvertFrom-StateText -Text ([System.IO.File]::ReadAllText($env:KUBECTL_WIN_STATE))
        $before = ConvertTo-Json -InputObject $state -Depth 40 -Compress
        & $Change $state
        $text = ConvertTo-Json -InputObject $state -Depth 40 -Compress
        if ($text -ceq $before) { return }
        # Replaced as a whole: a power cut leaves the one or the other.
        [System.IO.File]::WriteAllText("$env:KUBECTL_WIN_STATE.next", $text)
        [System.IO.File]::Replace("$env:KUBECTL_WIN_STATE.next", $env:KUBECTL_WIN_STATE, [NullString]::Value)
    } finally {
        Unlock-State
    }
    # A power cut right after the change, before anyone could write down that it was made.
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

# The rows of a section; a section that the state says cannot be read fails here as CIM fails.
function Read-Section {
    param([string]$Section)
    $state = Read-State
    $failure = $state.errors.$Section
    if ($null -eq $failure) { return @(Get-Rows -State $state -Section $Section) }
    switch ($failure.kind) {
        'Timeout' { Start-Sleep -Seconds 3600 }
        'NotInstalled' { throw (New-CimError -Code InvalidNamespace -Message 'Invalid namespace') }
        'AccessDenied' { throw (New-CimError -Code AccessDenied -Message $failure.message) }
        'CommandNotFound' { throw [System.Management.Automation.CommandNotFoundException]::new($failure.message) }
        default { throw (New-CimError -Code Failed -Message $failure.message) }
    }
}

# What fails in CIM: the code is in a property of its own, and HResult says nothing.
function New-CimError {
    param([string]$Code, [string]$Message)
    $exception = [Microsoft.Management.Infrastructure.CimException]::new($Message)
    $set = [Microsoft.Management.Infrastructure.CimException].GetProperty('NativeErrorCode').GetSetMethod($true)
    [void]$set.Invoke($exception, @([Microsoft.Management.Infrastructure.NativeErrorCode]$Code))
    $exception
}

# A command that the state says fails. As the commands of Windows' modules do it: an error is written, nothing is thrown.
function Test-Fault {
    param([System.Management.Automation.PSCmdlet]$Cmdlet)
    $failure = (Read-State).errors.($Cmdlet.MyInvocation.MyCommand.Name)
    if ($null -eq $failure) { return $false }
    # Some modules continue whatever anyone prefers.
    if ($failure.kind -eq 'Written') { Write-Error -Message $failure.message -ErrorAction Continue; return $true }
    Write-Failure -Cmdlet $Cmdlet -Message $failure.message
    $true
}

function Write-Failure {
    param([System.Management.Automation.PSCmdlet]$Cmdlet, [string]$Message, [string]$Code = 'Failed', [string]$Category = 'NotSpecified')
    $Cmdlet.WriteError([System.Management.Automation.ErrorRecord]::new((New-CimError -Code $Code -Message $Message), $Code, $Category, $null))
}

# CIM and .NET give times of the node's own zone.
function ConvertTo-Time {
    param($Text)
    if ($Text) { [System.DateTimeOffset]::Parse($Text, [System.Globalization.CultureInfo]::InvariantCulture).LocalDateTime }
}

# Names back to the numbers that CIM has.
function ConvertTo-Number {
    param($Value, [hashtable]$Numbers)
    if ($null -ne $Value -and $Numbers.ContainsKey([string]$Value)) { return $Numbers[[string]$Value] }
    $Value
}
