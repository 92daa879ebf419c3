# Plans on the disk: C:\ProgramData\kubectl-win\plans\<id>\ with plan.json, helper.ps1, network.json, journal.ndjson, lock.

function Get-PlanRoot {
    Join-Path -Path (Get-DataRoot) -ChildPath 'plans'
}

function Get-PlanFolder {
    param([Parameter(Mandatory = $true)][string]$Id)
    Join-Path -Path (Get-PlanRoot) -ChildPath (Get-PlanId -Id $Id)
}

# What SYSTEM runs lies below this folder, and everyone may make folders in ProgramData.
function Protect-DataRoot {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param()
    $root = Get-DataRoot
    if (-not $PSCmdlet.ShouldProcess($root, 'Create for SYSTEM and Administrators only')) { return }
    Protect-Folder -Path $root
    Protect-Folder -Path (Get-PlanRoot)
}

# Made with an access list of its own, or refused where someone else made it: who owns a folder can change its list again.
# SIDs, because names of groups are localised: S-1-5-18 is SYSTEM, S-1-5-32-544 is Administrators.
function Protect-Folder {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Path)
    if (-not $PSCmdlet.ShouldProcess($Path, 'Create for SYSTEM and Administrators only')) { return }
    if (Test-Link -Path $Path) { throw (New-HelperError -Kind Blocked -Message "$Path is a link: somebody wants plans to be stored elsewhere.") }
    [void][System.IO.Directory]::CreateDirectory($Path)
    Assert-OwnPath -Path $Path
    $icacls = Get-SystemProgram -Name icacls.exe
    [void](Invoke-NativeChecked -Path $icacls -Arguments @($Path, '/setowner', '*S-1-5-32-544', '/q'))
    [void](Invoke-NativeChecked -Path $icacls -Arguments @($Path, '/reset', '/q'))
    [void](Invoke-NativeChecked -Path $icacls -Arguments @($Path, '/inheritance:r', '/grant:r', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F', '/q'))
    # Protected from what it would inherit, and open to nobody else.
    $access = ([string](Get-Acl -LiteralPath $Path).Sddl -replace '^.*?D:', 'D:') -replace 'S:.*$', ''
    $others = @([regex]::Matches($access, '\(([^)]*)\)') | Where-Object -FilterScript { $_.Groups[1].Value -notmatch ';(SY|BA|S-1-5-18|S-1-5-32-544)$' })
    if ($access -notmatch '^D:[A-Z]*P' -or $others.Count -gt 0) {
        throw (New-HelperError -Kind Blocked -Message "$Path could not be closed to others: its access list is $access.")
    }
    # What was put into it before it was closed.
    foreach ($entry in @([System.IO.Directory]::GetFileSystemEntries($Path))) { Assert-OwnPath -Path $entry }
}

# The owner in the text form of an access list, which is the same in every language.
function Assert-OwnPath {
    param([Parameter(Mandatory = $true)][string]$Path)
    $owner = ''
    if ([string](Get-Acl -LiteralPath $Path).Sddl -match '^O:(S-[0-9-]+|[A-Z]{2})') { $owner = $Matches[1] }
    if (@('SY', 'BA', 'S-1-5-18', 'S-1-5-32-544') -contains $owner) { return }
    throw (New-HelperError -Kind Blocked -Message "$Path belongs to $owner, not to SYSTEM or Administrators: inspect its contents, remove it, and try again.")
}

function Save-Plan {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][string]$Id,
        [Parameter(Mandatory = $true)][string]$Text,
        [Parameter(Mandatory = $true)][string]$ScriptPath
    )
    $folder = Get-PlanFolder -Id $Id
    if (-not $PSCmdlet.ShouldProcess($folder, 'Store the plan')) { return }
    Protect-DataRoot
    if ([System.IO.Directory]::Exists($folder)) { throw (New-HelperError -Kind Busy -Message "Plan $Id is on this node already.") }
    Protect-Folder -Path $folder
    Save-File -Path (Join-Path -Path $folder -ChildPath 'plan.json') -Bytes ([System.Text.Encoding]::UTF8.GetBytes($Text))
    # A copy on a real path of the host: what is mounted into the pod is there for the pod alone, and goes with it.
    Save-File -Path (Join-Path -Path $folder -ChildPath 'helper.ps1') -Bytes ([System.IO.File]::ReadAllBytes($ScriptPath))
}

# On the disk as a whole when it returns, or not there: a power cut leaves no half of it.
function Save-File {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Path, [Parameter(Mandatory = $true)][byte[]]$Bytes)
    if (-not $PSCmdlet.ShouldProcess($Path, 'Write')) { return }
    $part = "$Path.new"
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList $part, ([System.IO.FileMode]::Create), ([System.IO.FileAccess]::Write), ([System.IO.FileShare]::Read)
    try {
        $stream.Write($Bytes, 0, $Bytes.Length)
        $stream.Flush($true)
    } finally {
        $stream.Dispose()
    }
    if ([System.IO.File]::Exists($Path)) {
        [System.IO.File]::Replace($part, $Path, [System.Management.Automation.Language.NullString]::Value)
    } else {
        [System.IO.File]::Move($part, $Path)
    }
}

function Read-PlanText {
    param([Parameter(Mandatory = $true)][string]$Id)
    $path = Join-Path -Path (Get-PlanFolder -Id $Id) -ChildPath 'plan.json'
    if (-not [System.IO.File]::Exists($path)) { throw (New-HelperError -Kind NotFound -Message "There is no plan $Id on this node.") }
    [System.IO.File]::ReadAllText($path)
}

function Get-PlanIdList {
    $root = Get-PlanRoot
    if (-not [System.IO.Directory]::Exists($root)) { return }
    foreach ($folder in @([System.IO.Directory]::GetDirectories($root) | Sort-Object)) {
        $name = [System.IO.Path]::GetFileName($folder)
        if ($name -match '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' -and [System.IO.File]::Exists((Join-Path -Path $folder -ChildPath 'plan.json'))) { $name }
    }
}

# The process that runs a plan holds its lock; it is released when the process ends, however it ends. $null when it is held.
function Open-PlanLock {
    param([Parameter(Mandatory = $true)][string]$Id)
    Open-LockFile -Path (Join-Path -Path (Get-PlanFolder -Id $Id) -ChildPath 'lock')
}

# $null where someone else has it open. Windows releases it when the process ends, however it ends.
function Open-LockFile {
    param([Parameter(Mandatory = $true)][string]$Path)
    try {
        New-Object -TypeName System.IO.FileStream -ArgumentList $Path, ([System.IO.FileMode]::OpenOrCreate), ([System.IO.FileAccess]::ReadWrite), ([System.IO.FileShare]::None)
    } catch [System.Management.Automation.MethodInvocationException] {
        if ($_.Exception.InnerException -isnot [System.IO.IOException]) { throw }
    }
}

# One plan at a time on a node, for any number of clients: held by the process that runs or guards one.
function Wait-NodeLock {
    param([Parameter(Mandatory = $true)][int]$Seconds)
    $path = Join-Path -Path (Get-PlanRoot) -ChildPath 'lock'
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    do {
        $lock = Open-LockFile -Path $path
        if ($null -ne $lock) { return $lock }
        Start-Sleep -Milliseconds 200
    } while ($clock.Elapsed.TotalSeconds -lt $Seconds)
}

# As Open-PlanLock, for the process that runs the plan: a reader that checks for such a process holds it for a moment.
function Wait-PlanLock {
    param([Parameter(Mandatory = $true)][string]$Id)
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    do {
        $lock = Open-PlanLock -Id $Id
        if ($null -ne $lock) { return $lock }
        Start-Sleep -Milliseconds 100
    } while ($clock.Elapsed.TotalSeconds -lt 30)
}

function Test-PlanRunning {
    param([Parameter(Mandatory = $true)][string]$Id)
    $lock = Open-PlanLock -Id $Id
    if ($null -eq $lock) { return $true }
    $lock.Dispose()
    $false
}

function Get-PlanStatus {
    param([Parameter(Mandatory = $true)][string]$Id)
    $plan = ConvertFrom-Json -InputObject (Read-PlanText -Id $Id)
    $running = Test-PlanRunning -Id $Id
    $entries = @(Read-Journal -Id $Id)
    $state = 'stored'
    if ($running) {
        $state = 'running'
    } elseif ($entries.Count -gt 0) {
        $state = Get-PlanOutcome -Entries $entries
        if ($null -eq $state) { $state = 'interrupted' }
    }
    $lastSeq = 0
    if ($entries.Count -gt 0) { $lastSeq = $entries[-1].seq }
    [pscustomobject]@{
        id        = $Id
        state     = $state
        title     = [string](Get-Field -InputObject $plan -Name title)
        createdAt = Format-PlanTime -Time (Get-Field -InputObject $plan -Name createdAt)
        steps     = @($plan.steps).Count
        # A step that a later run came by again is still one step.
        done      = @($entries | Where-Object -FilterScript { $_.event -eq 'step.end' } | ForEach-Object -Process { $_.step } | Select-Object -Unique).Count
        planned   = @($plan.steps)
        lastSeq   = $lastSeq
    }
}

# PowerShell 7 reads times in JSON as dates, 5.1 as text.
function Format-PlanTime {
    param([AllowNull()][object]$Time)
    if ($Time -is [datetime]) { return Format-Time -Time $Time }
    [string]$Time
}
