# Hyper-V through CIM.

function Get-HyperV {
    param([Parameter(Mandatory = $true)][string]$ClassName)
    try {
        Get-CimInstance -Namespace root/virtualization/v2 -ClassName $ClassName
    } catch {
        if ((ConvertTo-ErrorObject -ErrorRecord $_).kind -ne 'NotInstalled') { throw }
        $message = 'CIM namespace root\virtualization\v2 does not exist: the Hyper-V role is not installed'
        throw (New-HelperError -Kind NotInstalled -Message $message)
    }
}

# The id of port settings is Microsoft:<id of the switch>\<id of the port>.
function Test-SwitchPort {
    param([Parameter(Mandatory = $true)][object]$Port, [Parameter(Mandatory = $true)][string]$SwitchId)
    $Port.InstanceID -like "Microsoft:$SwitchId\*"
}

# A port of the management operating system is connected to the computer itself, not to a virtual machine's adapter.
function Test-HostResource {
    param([AllowNull()][AllowEmptyString()][string]$Resource)
    $Resource -match 'Msvm_ComputerSystem\.'
}

function Find-SwitchExtension {
    param([Parameter(Mandatory = $true)][string]$SwitchName, [Parameter(Mandatory = $true)][string]$ExtensionId)
    $ids = @(Get-HyperV -ClassName Msvm_VirtualEthernetSwitch | Where-Object -FilterScript { $_.ElementName -eq $SwitchName } | ForEach-Object -Process { $_.Name })
    Get-HyperV -ClassName Msvm_EthernetSwitchExtension |
        Where-Object -FilterScript { $ids -contains $_.SystemName -and $_.Name -eq $ExtensionId } |
        Select-Object -First 1
}

# "Open vSwitch Extension", on every Windows.
function Get-OvsExtensionId {
    '583CC151-73EC-4A6A-8B47-578297AD7623'
}

# 2 enables, 3 disables (CIM_EnabledLogicalElement).
function Set-SwitchExtension {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object]$Extension, [Parameter(Mandatory = $true)][bool]$Enabled)
    $state = [uint16]3
    if ($Enabled) { $state = [uint16]2 }
    if ($PSCmdlet.ShouldProcess($Extension.ElementName, "Set state $state")) {
        Assert-CimResult -What 'RequestStateChange' -Result (Invoke-CimMethod -InputObject $Extension -MethodName RequestStateChange -Arguments @{ RequestedState = $state })
    }
}

function Get-SwitchService {
    Get-HyperV -ClassName Msvm_VirtualEthernetSwitchManagementService | Select-Object -First 1
}

# 0 is success. 4096 (Hyper-V) means that a job was started: its result counts.
function Assert-CimResult {
    param([Parameter(Mandatory = $true)][string]$What, [AllowNull()][object]$Result)
    $code = [int](Get-Field -InputObject $Result -Name ReturnValue)
    if ($code -eq 0) { return }
    if ($code -ne 4096) { throw (New-HelperError -Kind Failed -Message "$What returned $code.") }
    Wait-HyperVJob -What $What -Id ([string](Get-Field -InputObject (Get-Field -InputObject $Result -Name Job) -Name InstanceID))
}

# States 2 to 6 are those of a job that has not ended; 8, 9 and 10 are failures
# (https://learn.microsoft.com/windows/win32/hyperv_v2/msvm-concretejob). Hyper-V removes an ended job after some minutes.
function Wait-HyperVJob {
    param([Parameter(Mandatory = $true)][string]$What, [Parameter(Mandatory = $true)][AllowEmptyString()][string]$Id)
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    while ($true) {
        $job = Get-HyperV -ClassName Msvm_ConcreteJob | Where-Object -FilterScript { $_.InstanceID -eq $Id } | Select-Object -First 1
        if ($null -eq $job) { return }
        if (@(8, 9, 10) -contains [int]$job.JobState) { throw (New-HelperError -Kind Failed -Message "$What failed: $($job.ErrorDescription)") }
        if (@(2, 3, 4, 5, 6) -notcontains [int]$job.JobState) { return }
        if ($clock.Elapsed.TotalSeconds -ge 60) { throw (New-HelperError -Kind Timeout -Message "$What is not done after 60 s.") }
        Start-Sleep -Milliseconds 250
    }
}
