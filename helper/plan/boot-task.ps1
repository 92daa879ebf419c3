# The boot task stays registered. C:\ProgramData\kubectl-win\boot\ has plan.json, helper.ps1, and last.json with the result of the last boot.

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
    if (-not $PSCmdlet.ShouldProcess($folder, 'Store the boot plan and register its task')) { return }
    Protect-DataRoot
    Protect-Folder -Path $folder
    $script = Join-Path -Path $folder -ChildPath 'helper.ps1'
    Save-File -Path $script -Bytes ([System.IO.File]::ReadAllBytes($ScriptPath))
    Save-File -Path (Join-Path -Path $folder -ChildPath 'plan.json') -Bytes ([System.Text.Encoding]::UTF8.GetBytes($Text))
    $description = 'Repairs the pod network after a boot, if needed (kubectl win helper install --cleanup-on-boot)'
    Register-HelperTask -Name (Get-BootTaskName) -Script $script -Argument "-Boot -PlanHash $Hash" -Description $description -AtStartup
}

function Remove-BootPlan {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param()
    $name = Get-BootTaskName
    if (-not $PSCmdlet.ShouldProcess($name, 'Unregister and remove its plan')) { return }
    Unregister-HelperTask -Name $name
    $folder = Get-BootFolder
    Assert-BootFolder
    if ([System.IO.Directory]::Exists($folder)) { [System.IO.Directory]::Delete($folder, $true) }
}

function Assert-BootFolder {
    Assert-DataRoot
    $folder = Get-BootFolder
    if ($null -ne (Get-PathAttribute -Path $folder)) { Assert-ClosedFolder -Path $folder }
}

function Get-BootStatus {
    Assert-BootFolder
    $folder = Get-BootFolder
    $path = Join-Path -Path $folder -ChildPath 'plan.json'
    if (-not (Test-HelperTask -Name (Get-BootTaskName)) -or -not [System.IO.File]::Exists($path)) { return [pscustomobject]@{ set = $false } }
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
    if (-not $PSCmdlet.ShouldProcess($path, 'Write the result of the boot')) { return }
    $last = [ordered]@{ at = (Format-Time -Time ([datetime]::UtcNow)); outcome = $Outcome }
    if ($Id -ne '') { $last.plan = $Id }
    if ($Message -ne '') { $last.message = $Message }
    Save-File -Path $path -Bytes ([System.Text.Encoding]::UTF8.GetBytes((ConvertTo-JsonText -Value ([pscustomobject]$last))))
}
