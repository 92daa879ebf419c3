# The task that stays: C:\ProgramData\kubectl-win\boot\ with plan.json, helper.ps1, and last.json on how the last boot went.

function Get-BootFolder {
    Join-Path -Path (Get-DataRoot) -ChildPath 'boot'
}

function Get-BootTaskName {
    'kubectl-win-boot'
}

function Save-BootPlan {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][string]$Text,
        [Parameter(Mandatory = $true)][ValidatePattern('^[0-9a-f]{64}\z')][string]$Hash,
        [Parameter(Mandatory = $true)][string]$ScriptPath
    )
    $folder = Get-BootFolder
    if (-not $PSCmdlet.ShouldProcess($folder, 'Store the plan for boots, and register its task')) { return }
    Protect-DataRoot
    if (Test-Link -Path $folder) { throw (New-HelperError -Kind Blocked -Message "$folder is a link: somebody wants plans to be stored elsewhere.") }
    [void][System.IO.Directory]::CreateDirectory($folder)
    $script = Join-Path -Path $folder -ChildPath 'helper.ps1'
    Save-File -Path $script -Bytes ([System.IO.File]::ReadAllBytes($ScriptPath))
    Save-File -Path (Join-Path -Path $folder -ChildPath 'plan.json') -Bytes ([System.Text.Encoding]::UTF8.GetBytes($Text))
    $argument = '-NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "{0}" -Boot -PlanHash {1}' -f $script, $Hash
    $splatTask = @{
        TaskName    = Get-BootTaskName
        TaskPath    = '\'
        Action      = New-ScheduledTaskAction -Execute (Get-Process -Id $PID).Path -Argument $argument
        Trigger     = New-ScheduledTaskTrigger -AtStartup
        Principal   = New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -LogonType ServiceAccount -RunLevel Highest
        Settings    = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -ExecutionTimeLimit (New-TimeSpan -Hours 2)
        Description = 'Mends the pod network where a boot has broken it (kubectl win helper install --cleanup-on-boot)'
        Force       = $true
    }
    [void](Register-ScheduledTask @splatTask)
}

function Remove-BootPlan {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param()
    $name = Get-BootTaskName
    if (-not $PSCmdlet.ShouldProcess($name, 'Unregister, and remove its plan')) { return }
    $there = @(Get-ScheduledTask | Where-Object -FilterScript { $_.TaskName -eq $name }).Count -gt 0
    if ($there) { Unregister-ScheduledTask -TaskName $name -TaskPath '\' -Confirm:$false }
    $folder = Get-BootFolder
    if ([System.IO.Directory]::Exists($folder) -and -not (Test-Link -Path $folder)) { [System.IO.Directory]::Delete($folder, $true) }
}

function Get-BootStatus {
    $folder = Get-BootFolder
    $path = Join-Path -Path $folder -ChildPath 'plan.json'
    $name = Get-BootTaskName
    $there = @(Get-ScheduledTask | Where-Object -FilterScript { $_.TaskName -eq $name }).Count -gt 0
    if (-not $there -or -not [System.IO.File]::Exists($path)) { return [pscustomobject]@{ set = $false } }
    $bytes = [System.IO.File]::ReadAllBytes($path)
    $boot = ConvertFrom-Json -InputObject ([System.Text.Encoding]::UTF8.GetString($bytes))
    $status = [ordered]@{ set = $true; hash = (Get-Sha256 -Bytes $bytes); title = [string](Get-Field -InputObject $boot -Name title) }
    $status.createdAt = Format-PlanTime -Time (Get-Field -InputObject $boot -Name createdAt)
    $status.steps = @($boot.steps).Count
    $last = Read-LastBoot
    if ($null -ne $last) { $status.last = $last }
    [pscustomobject]$status
}

function Read-LastBoot {
    $path = Join-Path -Path (Get-BootFolder) -ChildPath 'last.json'
    if (-not [System.IO.File]::Exists($path)) { return }
    $last = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText($path))
    $last.at = Format-PlanTime -Time $last.at
    $last
}

function Save-LastBoot {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Outcome, [string]$Id = '', [string]$Message = '')
    $path = Join-Path -Path (Get-BootFolder) -ChildPath 'last.json'
    if (-not $PSCmdlet.ShouldProcess($path, 'Tell how the boot went')) { return }
    $last = [ordered]@{ at = (Format-Time -Time ([datetime]::UtcNow)); outcome = $Outcome }
    if ($Id -ne '') { $last.plan = $Id }
    if ($Message -ne '') { $last.message = $Message }
    Save-File -Path $path -Bytes ([System.Text.Encoding]::UTF8.GetBytes((ConvertTo-JsonText -Value ([pscustomobject]$last))))
}
