# service.start, service.stop, service.restart.

function Get-ServiceState {
    param([Parameter(Mandatory = $true)][string]$Name)
    Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $_.Name -eq $Name } | Select-Object -First 1
}

# The service and its dependents, if they run: stopping the service stops them too.
function Get-RunningService {
    param([Parameter(Mandatory = $true)][string]$Name)
    $service = Get-Service -Name $Name
    if ([string]$service.Status -eq 'Running') { $service.Name }
    foreach ($dependent in @($service.DependentServices)) {
        if ($null -ne $dependent -and [string]$dependent.Status -eq 'Running') { $dependent.Name }
    }
}

function Get-ServiceInspection {
    param([Parameter(Mandatory = $true)][string]$Name, [Parameter(Mandatory = $true)][string]$Wanted)
    $service = Get-ServiceState -Name $Name
    if ($null -eq $service) { return New-Inspection -Done $false -Blocked "Service $Name does not exist." -About "Service $Name does not exist." }
    $saved = [pscustomobject]@{ running = @(Get-RunningService -Name $Name); processId = [int]$service.ProcessId }
    New-Inspection -Done ($service.State -eq $Wanted) -Saved $saved -About "Service $Name is $($service.State)."
}

function Invoke-ServiceStartStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' { Get-ServiceInspection -Name $With.name -Wanted Running }
        'Apply' { if ($PSCmdlet.ShouldProcess("service $($With.name)", 'Start')) { Start-Service -Name $With.name } }
        'Undo' {
            if ($null -eq $Saved -or @($Saved.running) -contains $With.name) { return }
            if ($PSCmdlet.ShouldProcess("service $($With.name)", 'Stop')) { Stop-Service -Name $With.name -Force }
        }
    }
}

function Invoke-ServiceStopStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' { Get-ServiceInspection -Name $With.name -Wanted Stopped }
        'Apply' { if ($PSCmdlet.ShouldProcess("service $($With.name)", 'Stop')) { Stop-Service -Name $With.name -Force } }
        'Undo' {
            if ($null -eq $Saved) { return }
            foreach ($name in @($Saved.running)) {
                if ($PSCmdlet.ShouldProcess("service $name", 'Start')) { Start-Service -Name $name }
            }
        }
    }
}

# No undo: the service runs before and after. The step is done when the service has a new process.
function Invoke-ServiceRestartStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' {
            $inspection = Get-ServiceInspection -Name $With.name -Wanted Running
            if ($inspection.Blocked -ne '') { return $inspection }
            $inspection.Done = $inspection.Done -and $null -ne $Saved -and $inspection.Saved.processId -ne $Saved.processId
            $inspection
        }
        'Apply' {
            if (-not $PSCmdlet.ShouldProcess("service $($With.name)", 'Restart')) { return }
            if (@(Get-RunningService -Name $With.name).Count -gt 0) { Stop-Service -Name $With.name -Force }
            Start-Service -Name $With.name
            # The services that ran before the step first acted, also if it was interrupted since.
            foreach ($name in @($Saved.running)) {
                if ($name -ne $With.name) { Start-Service -Name $name }
            }
        }
    }
}
