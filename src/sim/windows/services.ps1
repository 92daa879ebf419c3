# Services and processes.

# Drivers are in the same snapshot section but in another CIM class.
function Get-ServiceInstance {
    param([bool]$Driver)
    foreach ($row in @(Read-Section services)) {
        if (([string]$row.PathName -like '*.sys') -ne $Driver) { continue }
        $properties = @{
            Name = $row.Name; DisplayName = $row.DisplayName; State = $row.State; StartMode = $row.StartMode; ExitCode = $row.ExitCode
            PathName = $row.PathName; StartName = $row.StartName; Description = $row.Description
        }
        if (-not $Driver) { $properties['ProcessId'] = $row.ProcessId }
        New-Instance $(if ($Driver) { 'Win32_SystemDriver' } else { 'Win32_Service' }) $properties
    }
}

# The processes of the section, and those that only services refer to.
function Get-ProcessInstance {
    $seen = @{}
    foreach ($row in @(Read-Section processes)) {
        $seen[[int]$row.ProcessId] = $true
        New-Instance Win32_Process @{ Name = $row.Name; ProcessId = $row.ProcessId; CreationDate = ConvertTo-Time $row.StartTime; ThreadCount = $row.ThreadCount; CommandLine = $row.CommandLine }
    }
    foreach ($row in @(Get-Rows (Read-State) services)) {
        if (-not $row.ProcessId -or $seen[[int]$row.ProcessId]) { continue }
        New-Instance Win32_Process @{ Name = "$($row.Name)-host.exe"; ProcessId = $row.ProcessId; CreationDate = ConvertTo-Time $row.StartedAt; ThreadCount = 9; CommandLine = $null }
    }
    New-Instance Win32_Process @{ Name = 'System'; ProcessId = 4; CreationDate = $null; ThreadCount = 200; CommandLine = $null }
}

function Get-Service {
    [CmdletBinding()]
    param([Parameter(Mandatory = $true)][string]$Name)
    $rows = @(Get-Rows (Read-State) services)
    $row = $rows | Where-Object { $_.Name -eq $Name }
    if ($null -eq $row) { Write-NoService -Cmdlet $PSCmdlet -Name $Name; return }
    $dependents = @($rows | Where-Object { @($_.DependsOn) -contains $Name } | ForEach-Object { [pscustomobject]@{ Name = $_.Name; Status = $_.State } })
    [pscustomobject]@{ Name = $row.Name; Status = $row.State; DependentServices = $dependents }
}

function Write-NoService {
    param([System.Management.Automation.PSCmdlet]$Cmdlet, [string]$Name)
    Write-Failure -Cmdlet $Cmdlet -Message "Cannot find any service with service name '$Name'." -Code NotFound -Category ObjectNotFound
}

# ovs-vswitchd cannot start while its database has stale rows.
function Test-CanStart {
    param($State, [string]$Name)
    if ($Name -ne 'ovs-vswitchd' -or $null -eq $State.sections.ovs) { return $true }
    $switches = @(Get-Rows $State vmSwitches | ForEach-Object { $_.Name })
    @($State.sections.ovs.Tables.Bridge.data).Count -eq 0 -or @($switches | Where-Object { $_ -ne 'nat' }).Count -gt 0
}

function Start-Service {
    [CmdletBinding()]
    param([Parameter(Mandatory = $true)][string]$Name)
    if (Test-Fault $PSCmdlet) { return }
    if (@(Get-Rows (Read-State) services | Where-Object { $_.Name -eq $Name }).Count -eq 0) { Write-NoService -Cmdlet $PSCmdlet -Name $Name; return }
    $failure = $null
    Edit-State {
        param($state)
        if (-not (Test-CanStart -State $state -Name $Name)) { Set-Variable -Scope 1 -Name failure -Value $Name; return }
        foreach ($row in @(Get-Rows $state services)) {
            if ($row.Name -ne $Name -or $row.State -eq 'Running') { continue }
            $row.State = 'Running'
            $row.ProcessId = Get-Random -Minimum 5000 -Maximum 60000
            $now = ([datetimeoffset](Get-Date)).ToString('yyyy-MM-ddTHH:mm:sszzz')
            $row | Add-Member -NotePropertyName StartedAt -NotePropertyValue $now -Force
            $image = if ($Name -eq 'hns') { 'svchost.exe' } elseif ($Name -eq 'kube-ovn') { 'kube-ovn-daemon.exe' } elseif ($Name -eq 'kubeproxy') { 'kube-proxy.exe' } else { "$Name.exe" }
            $process = [pscustomobject]@{ Name = $image; ProcessId = $row.ProcessId; StartTime = $now; ThreadCount = 8 }
            if ($Name -eq 'hns') { $process | Add-Member -NotePropertyName Service -NotePropertyValue 'hns' }
            Set-Rows $state processes (@(Get-Rows $state processes) + $process)
        }
    }
    if ($failure) { Write-Failure -Cmdlet $PSCmdlet -Message "Service '$failure' cannot be started: it exited." -Category OpenError }
}

function Stop-Service {
    [CmdletBinding()]
    param([Parameter(Mandatory = $true)][string]$Name, [switch]$Force)
    if (Test-Fault $PSCmdlet) { return }
    $services = @(Get-Rows (Read-State) services)
    if (@($services | Where-Object { $_.Name -eq $Name }).Count -eq 0) { Write-NoService -Cmdlet $PSCmdlet -Name $Name; return }
    if (-not $Force -and @($services | Where-Object { @($_.DependsOn) -contains $Name -and $_.State -ne 'Stopped' }).Count -gt 0) {
        Write-Failure -Cmdlet $PSCmdlet -Message "Cannot stop service '$Name' because it has dependent services. It can only be stopped if the Force flag is set." -Category InvalidOperation
        return
    }
    Edit-State {
        param($state)
        $rows = @(Get-Rows $state services)
        $names = @($Name) + @($rows | Where-Object { @($_.DependsOn) -contains $Name -and $_.State -eq 'Running' } | ForEach-Object { $_.Name })
        foreach ($row in $rows) {
            if ($names -notcontains $row.Name) { continue }
            $gone = $row.ProcessId
            $row.State = 'Stopped'
            $row.ProcessId = 0
            if ($row.PSObject.Properties['StartedAt']) { $row.StartedAt = $null }
            if ($gone) { Set-Rows $state processes @(Get-Rows $state processes | Where-Object { $_.ProcessId -ne $gone }) }
        }
    }
}
