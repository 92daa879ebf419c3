# The state file: {"sections": {...}, "errors": {...}}, one writer at a time.

# A lock is a file that only one process can create. It contains the ID of its process. lock.mjs uses the same protocol.
# Created atomically with its content: a lock without an ID, left by a killed process, would block everyone.
function New-LockFile {
    param([string]$Path)
    $own = "$Path.$PID.$([System.Threading.Thread]::CurrentThread.ManagedThreadId)"
    [System.IO.File]::WriteAllText($own, [string]$PID)
    try {
        # Creating a hard link fails atomically if the path exists; moving a file in .NET checks first and is not atomic.
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

# Only one process may check at a time. Otherwise a second one could remove a lock that a third has just acquired.
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
        # The lock is usually free again soon, and finding a process takes longer.
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
    # PowerShell 7 would convert times to dates and lose their offset.
    if ($PSVersionTable.PSVersion.Major -ge 7) { return ConvertFrom-Json -InputObject $Text -DateKind String }
    ConvertFrom-Json -InputObject $Text
}

# Read again only if the file has changed: a section may read it a hundred times. Callers must not modify the result.
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
        # Replaced atomically: power loss leaves the old or the new file.
        [System.IO.File]::WriteAllText("$env:KUBECTL_WIN_STATE.next", $text)
        [System.IO.File]::Replace("$env:KUBECTL_WIN_STATE.next", $env:KUBECTL_WIN_STATE, [NullString]::Value)
    } finally {
        Unlock-State
    }
    # Power loss right after the change, before it could be recorded.
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

# The rows of a section. A section that cannot be read fails as in CIM.
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

# The error code of CIM is in NativeErrorCode; HResult is not useful.
function New-CimError {
    param([string]$Code, [string]$Message)
    $exception = [Microsoft.Management.Infrastructure.CimException]::new($Message)
    $set = [Microsoft.Management.Infrastructure.CimException].GetProperty('NativeErrorCode').GetSetMethod($true)
    [void]$set.Invoke($exception, @([Microsoft.Management.Infrastructure.NativeErrorCode]$Code))
    $exception
}

# A cmdlet that must fail. Like cmdlets of Windows modules, it writes an error and does not throw.
function Test-Fault {
    param([System.Management.Automation.PSCmdlet]$Cmdlet)
    $failure = (Read-State).errors.($Cmdlet.MyInvocation.MyCommand.Name)
    if ($null -eq $failure) { return $false }
    # Some modules continue regardless of the caller's preference.
    if ($failure.kind -eq 'Written') { Write-Error -Message $failure.message -ErrorAction Continue; return $true }
    if ($failure.kind -eq 'NotFound') { Write-Failure -Cmdlet $Cmdlet -Message $failure.message -Code NotFound -Category ObjectNotFound; return $true }
    Write-Failure -Cmdlet $Cmdlet -Message $failure.message
    $true
}

function Write-Failure {
    param([System.Management.Automation.PSCmdlet]$Cmdlet, [string]$Message, [string]$Code = 'Failed', [string]$Category = 'NotSpecified')
    $Cmdlet.WriteError([System.Management.Automation.ErrorRecord]::new((New-CimError -Code $Code -Message $Message), $Code, $Category, $null))
}

# Cmdlets that are generated from a CIM class fail if no object matches (PowerShell/PowerShell QueryJobBase.cs).
function Write-NotFound {
    param([System.Management.Automation.PSCmdlet]$Cmdlet, [string]$ClassName)
    Write-Failure -Cmdlet $Cmdlet -Message "No matching $ClassName objects found by CIM query. Verify query parameters and retry." -Code NotFound -Category ObjectNotFound
}

# CIM and .NET return local times of the node.
function ConvertTo-Time {
    param($Text)
    if ($Text) { [System.DateTimeOffset]::Parse($Text, [System.Globalization.CultureInfo]::InvariantCulture).LocalDateTime }
}

# Converts names to the numbers of CIM.
function ConvertTo-Number {
    param($Value, [hashtable]$Numbers)
    if ($null -ne $Value -and $Numbers.ContainsKey([string]$Value)) { return $Numbers[[string]$Value] }
    $Value
}
