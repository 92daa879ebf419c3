# The scheduled task that carries out a plan: as SYSTEM, outside of the pod, whose processes all die with it.

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
    $argument = '-NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "{0}" -RunPlan {1} -PlanHash {2} -Mode {3}' -f $script, $Id, $Hash, $Mode
    $splatTask = @{
        TaskName    = $name
        TaskPath    = '\'
        Action      = New-ScheduledTaskAction -Execute (Get-Process -Id $PID).Path -Argument $argument
        Principal   = New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -LogonType ServiceAccount -RunLevel Highest
        Settings    = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -ExecutionTimeLimit (New-TimeSpan -Hours 2)
        Description = 'Carries out a plan of kubectl win, and removes itself'
        Force       = $true
    }
    $before = @(Read-JournalLine -Id $Id).Count
    [void](Register-ScheduledTask @splatTask)
    Start-ScheduledTask -TaskName $name -TaskPath '\'
    # Task Scheduler reports success before anything runs.
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    while (@(Read-JournalLine -Id $Id).Count -le $before) {
        if ($clock.Elapsed.TotalSeconds -gt 45) {
            Unregister-PlanTask -Id $Id
            throw (New-HelperError -Kind Failed -Message "Scheduled task $name did not start within 45 s.")
        }
        Start-Sleep -Milliseconds 200
    }
}

function Unregister-PlanTask {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Id)
    $name = Get-PlanTaskName -Id $Id
    $there = @(Get-ScheduledTask | Where-Object -FilterScript { $_.TaskName -eq $name }).Count -gt 0
    if ($there -and $PSCmdlet.ShouldProcess($name, 'Unregister')) { Unregister-ScheduledTask -TaskName $name -TaskPath '\' -Confirm:$false }
}
