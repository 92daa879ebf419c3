# The scheduled task that runs a plan: as SYSTEM, and outside of the pod, because all processes of a pod end with it.

function Get-PlanTaskName {
    param([Parameter(Mandatory = $true)][string]$Id)
    "kubectl-win-$(Get-PlanId -Id $Id)"
}

function Start-PlanTask {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][string]$Id,
        [Parameter(Mandatory = $true)][ValidatePattern('^[0-9a-f]{64}\z')][string]$Hash,
        [Parameter(Mandatory = $true)][ValidateSet('Run', 'Resume', 'Rollback')][string]$Mode
    )
    $name = Get-PlanTaskName -Id $Id
    if (-not $PSCmdlet.ShouldProcess($name, 'Register and start')) { return }
    $script = Join-Path -Path (Get-PlanFolder -Id $Id) -ChildPath 'helper.ps1'
    $argument = '-RunPlan {0} -PlanHash {1} -Mode {2}' -f $Id, $Hash, $Mode
    $before = @(Read-JournalLine -Id $Id).Count
    Register-HelperTask -Name $name -Script $script -Argument $argument -Description 'Runs a plan of kubectl win, and removes itself'
    Start-ScheduledTask -TaskName $name -TaskPath '\'
    # Task Scheduler reports success before anything runs.
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    while (@(Read-JournalLine -Id $Id).Count -le $before) {
        if ($clock.Elapsed.TotalSeconds -gt 45) {
            # On a full disk a rollback writes no journal. Its process holds the lock, and removes the task when it has ended.
            if ((Test-PlanRunning -Id $Id) -or -not (Test-HelperTask -Name $name)) { return }
            # Unregistering does not stop a task: it is stopped first, so that it cannot begin later.
            Stop-ScheduledTask -TaskName $name -TaskPath '\'
            Start-Sleep -Seconds 1
            $begun = @(Read-JournalLine -Id $Id).Count -gt $before
            Unregister-HelperTask -Name $name
            if ($begun) { throw (New-HelperError -Kind Failed -Message "Scheduled task $name began only after 45 s and was stopped: plan $Id is interrupted.") }
            $node = Wait-NodeLock -Seconds 0
            if ($null -eq $node) { throw (New-HelperError -Kind Busy -Message "Another plan is running on this node. Plan $Id did not start.") }
            $node.Dispose()
            throw (New-HelperError -Kind Failed -Message "Scheduled task $name did not start within 45 s.")
        }
        Start-Sleep -Milliseconds 200
    }
}

# As SYSTEM, with the PowerShell that runs this, from a script on the host's own disk.
function Register-HelperTask {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][string]$Name,
        [Parameter(Mandatory = $true)][string]$Script,
        [Parameter(Mandatory = $true)][string]$Argument,
        [Parameter(Mandatory = $true)][string]$Description,
        [switch]$AtStartup,
        [int]$EveryMinutes = 0,
        [int]$HourLimit = 2
    )
    if (-not $PSCmdlet.ShouldProcess($Name, 'Register')) { return }
    # The task runs the script only with the hash that it has now. The hash of the plan is in the argument.
    $hash = Get-Sha256 -Bytes ([System.IO.File]::ReadAllBytes($Script))
    $command = "if ((Get-FileHash -LiteralPath '{0}').Hash -ne '{1}') {{ exit 86 }}; & '{0}' {2}" -f $Script.Replace("'", "''"), $hash, $Argument
    $whole = '-NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -Command "{0}"' -f $command
    $triggers = @(Get-HelperTaskTrigger -AtStartup $AtStartup.IsPresent -EveryMinutes $EveryMinutes)
    $splatTask = @{
        TaskName    = $Name
        TaskPath    = '\'
        Action      = New-ScheduledTaskAction -Execute (Get-Process -Id $PID).Path -Argument $whole
        Principal   = Get-HelperTaskPrincipal
        Settings    = Get-HelperTaskSetting -HourLimit $HourLimit -Disabled $false
        Description = $Description
        Force       = $true
    }
    if ($triggers.Count -gt 0) { $splatTask.Trigger = $triggers }
    [void](Register-ScheduledTask @splatTask)
}

function Get-HelperTaskPrincipal {
    New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -LogonType ServiceAccount -RunLevel Highest
}

function Get-HelperTaskTrigger {
    param([Parameter(Mandatory = $true)][bool]$AtStartup, [Parameter(Mandatory = $true)][int]$EveryMinutes)
    if ($AtStartup) { New-ScheduledTaskTrigger -AtStartup }
    # Without a duration it repeats forever. It starts in the past, so that a clock that is set back does not delay it.
    if ($EveryMinutes -gt 0) { New-ScheduledTaskTrigger -Once -At (New-Object -TypeName datetime -ArgumentList 2020, 1, 1) -RepetitionInterval (New-TimeSpan -Minutes $EveryMinutes) }
}

# One instance at a time, also on batteries and when the machine is not idle. Priority 4 is normal: the default, 7, is below
# normal (https://learn.microsoft.com/windows/win32/taskschd/tasksettings-priority).
function Get-HelperTaskSetting {
    param([Parameter(Mandatory = $true)][int]$HourLimit, [Parameter(Mandatory = $true)][bool]$Disabled)
    $splatSettings = @{
        AllowStartIfOnBatteries    = $true
        DontStopIfGoingOnBatteries = $true
        DontStopOnIdleEnd          = $true
        StartWhenAvailable         = $true
        MultipleInstances          = 'IgnoreNew'
        Priority                   = 4
        # Zero means no limit.
        ExecutionTimeLimit         = New-TimeSpan -Hours $HourLimit
        Disable                    = $Disabled
    }
    New-ScheduledTaskSettingsSet @splatSettings
}

function Test-HelperTask {
    param([Parameter(Mandatory = $true)][string]$Name)
    # Users can register tasks of any name in folders of their own.
    @(Get-ScheduledTask | Where-Object -FilterScript { $_.TaskName -eq $Name -and $_.TaskPath -eq '\' }).Count -gt 0
}

function Unregister-HelperTask {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Name)
    if ((Test-HelperTask -Name $Name) -and $PSCmdlet.ShouldProcess($Name, 'Unregister')) { Unregister-ScheduledTask -TaskName $Name -TaskPath '\' -Confirm:$false }
}
