# Plans on the disk: C:\ProgramData\kubectl-win\plans\<id>\ with plan.json, helper.ps1, network.json, journal.ndjson, lock.

function Get-PlanRoot {
    Join-Path -Path (Get-DataRoot) -ChildPath 'plans'
}

function Get-PlanFolder {
    param([Parameter(Mandatory = $true)][string]$Id)
    Join-Path -Path (Get-PlanRoot) -ChildPath (Get-PlanId -Id $Id)
}

# SYSTEM runs what is stored below this folder, and every user may create folders in ProgramData.
function Protect-DataRoot {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param()
    $root = Get-DataRoot
    if (-not $PSCmdlet.ShouldProcess($root, 'Create for SYSTEM and Administrators only')) { return }
    Protect-Folder -Path $root
    Protect-Folder -Path (Get-PlanRoot)
}

# Creates a folder that is closed to other users, or closes it; refuses one that another user created, because its owner can
# always change the access list back.
# SIDs, because names of groups are localised: S-1-5-18 is SYSTEM, S-1-5-32-544 is Administrators.
function Protect-Folder {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Path)
    if (-not $PSCmdlet.ShouldProcess($Path, 'Create for SYSTEM and Administrators only')) { return }
    Assert-NoLink -Path $Path
    [void][System.IO.Directory]::CreateDirectory($Path)
    Assert-OwnPath -Path $Path
    if ((Get-OpenAccess -Path $Path) -ne '') {
        $icacls = Get-SystemProgram -Name icacls.exe
        # /L: if a user replaces the folder with a link at this moment, the link itself is changed and not its target.
        $close = @($Path, '/inheritance:r', '/grant:r', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F', '/L', '/q')
        [void](Invoke-NativeChecked -Path $icacls -Arguments @($Path, '/setowner', '*S-1-5-32-544', '/L', '/q'))
        [void](Invoke-NativeChecked -Path $icacls -Arguments $close)
        # Rights that were granted explicitly are left. A reset opens the folder for a moment, so it is only done if needed.
        if ((Get-OpenAccess -Path $Path) -ne '') {
            [void](Invoke-NativeChecked -Path $icacls -Arguments @($Path, '/reset', '/L', '/q'))
            [void](Invoke-NativeChecked -Path $icacls -Arguments $close)
        }
    }
    Assert-ClosedFolder -Path $Path
    # Users may have added entries before the folder was closed.
    foreach ($entry in @([System.IO.Directory]::GetFileSystemEntries($Path))) { Assert-OwnPath -Path $entry }
}

# Nothing is read, written or run below folders that other users can change: a plan, a journal or a lock in them may be forged,
# and a link in them leads SYSTEM to any file.
function Assert-DataRoot {
    foreach ($path in @((Get-DataRoot), (Get-PlanRoot))) {
        if ($null -eq (Get-PathAttribute -Path $path)) { return }
        Assert-ClosedFolder -Path $path
    }
}

# All of one plan, before its journal decides what is undone.
function Assert-PlanFolder {
    param([Parameter(Mandatory = $true)][string]$Id)
    Assert-DataRoot
    $folder = Get-PlanFolder -Id $Id
    if ($null -eq (Get-PathAttribute -Path $folder)) { throw (New-HelperError -Kind NotFound -Message "Plan $Id does not exist on this node.") }
    Assert-ClosedFolder -Path $folder
    # Not what is below 'removed': files keep their owners when they are moved there, and go back to where they were.
    foreach ($entry in @([System.IO.Directory]::GetFileSystemEntries($folder))) { Assert-OwnPath -Path $entry }
}

function Assert-ClosedFolder {
    param([Parameter(Mandatory = $true)][string]$Path)
    Assert-OwnPath -Path $Path
    $access = Get-OpenAccess -Path $Path
    if ($access -ne '') { throw (New-HelperError -Kind Blocked -Message "$Path is open to other users than SYSTEM and Administrators: its access list is $access.") }
}

# The access list of a folder that inherits rights or grants them to other users; '' if it does neither.
function Get-OpenAccess {
    param([Parameter(Mandatory = $true)][string]$Path)
    $access = ([string](Get-Acl -LiteralPath $Path).Sddl -replace '^.*?D:', 'D:') -replace 'S:.*$', ''
    $others = @([regex]::Matches($access, '\(([^)]*)\)') | Where-Object -FilterScript { $_.Groups[1].Value -notmatch ';(SY|BA|S-1-5-18|S-1-5-32-544)$' })
    if ($access -match '^D:[A-Z]*P' -and $others.Count -eq 0) { return '' }
    $access
}

# The owner in SDDL, which is the same in every language.
function Assert-OwnPath {
    param([Parameter(Mandatory = $true)][string]$Path)
    Assert-NoLink -Path $Path
    $owner = ''
    if ([string](Get-Acl -LiteralPath $Path).Sddl -match '^O:(S-[0-9-]+|[A-Z]{2})') { $owner = $Matches[1] }
    if (@('SY', 'BA', 'S-1-5-18', 'S-1-5-32-544') -contains $owner) { return }
    throw (New-HelperError -Kind Blocked -Message "$Path belongs to $owner, not to SYSTEM or Administrators: inspect its contents, remove it, and try again.")
}

function Assert-NoLink {
    param([Parameter(Mandatory = $true)][string]$Path)
    if (Test-Link -Path $Path) { throw (New-HelperError -Kind Blocked -Message "$Path is a link: plans are stored in real folders only. Inspect it, remove it, and try again.") }
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
    # A copy on a real path of the host: what is mounted into the pod exists for the pod alone.
    Save-File -Path (Join-Path -Path $folder -ChildPath 'helper.ps1') -Bytes ([System.IO.File]::ReadAllBytes($ScriptPath))
    # Last: a folder without it is not a plan, so a power cut leaves no plan that cannot run.
    Save-File -Path (Join-Path -Path $folder -ChildPath 'plan.json') -Bytes ([System.Text.Encoding]::UTF8.GetBytes($Text))
}

# Complete on the disk when it returns, or missing: a power cut never leaves half of a file.
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
    Assert-DataRoot
    $folder = Get-PlanFolder -Id $Id
    $path = Join-Path -Path $folder -ChildPath 'plan.json'
    if ([System.IO.Directory]::Exists($folder)) { Assert-ClosedFolder -Path $folder }
    if (-not [System.IO.File]::Exists($path)) { throw (New-HelperError -Kind NotFound -Message "Plan $Id does not exist on this node.") }
    [System.IO.File]::ReadAllText($path)
}

function Get-PlanIdList {
    Assert-DataRoot
    $root = Get-PlanRoot
    if (-not [System.IO.Directory]::Exists($root)) { return }
    foreach ($folder in @([System.IO.Directory]::GetDirectories($root) | Sort-Object)) {
        $name = [System.IO.Path]::GetFileName($folder)
        if ($name -match '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' -and [System.IO.File]::Exists((Join-Path -Path $folder -ChildPath 'plan.json'))) { $name }
    }
}

# Held by the process that runs a plan. $null if another process holds it.
function Open-PlanLock {
    param([Parameter(Mandatory = $true)][string]$Id)
    Open-LockFile -Path (Join-Path -Path (Get-PlanFolder -Id $Id) -ChildPath 'lock')
}

# $null if another process has the file open. Windows closes it when that process ends, also when it is killed.
function Open-LockFile {
    param([Parameter(Mandatory = $true)][string]$Path)
    try {
        New-Object -TypeName System.IO.FileStream -ArgumentList $Path, ([System.IO.FileMode]::OpenOrCreate), ([System.IO.FileAccess]::ReadWrite), ([System.IO.FileShare]::None)
    } catch [System.Management.Automation.MethodInvocationException] {
        if ($_.Exception.InnerException -isnot [System.IO.IOException]) { throw }
    }
}

# Only one plan runs on a node at a time, whatever client started it: the process that runs or guards a plan holds this lock.
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

# For the process that runs the plan: a reader that checks whether the plan runs holds the lock for a moment.
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
        # A resumed plan may end a step twice.
        done      = @($entries | Where-Object -FilterScript { $_.event -eq 'step.end' } | ForEach-Object -Process { $_.step } | Select-Object -Unique).Count
        planned   = @($plan.steps)
        lastSeq   = $lastSeq
    }
}

# PowerShell 7 converts times in JSON to dates, 5.1 leaves them as text.
function Format-PlanTime {
    param([AllowNull()][object]$Time)
    if ($Time -is [datetime]) { return Format-Time -Time $Time }
    [string]$Time
}
