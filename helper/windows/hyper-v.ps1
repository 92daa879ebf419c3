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

# The settings of a port are named Microsoft:<id of the switch>\<id of the port>.
function Test-SwitchPort {
    param([Parameter(Mandatory = $true)][object]$Port, [Parameter(Mandatory = $true)][string]$SwitchId)
    $Port.InstanceID -like "Microsoft:$SwitchId\*"
}

# A port of the management operating system is connected to the computer itself, not to a virtual machine's adapter.
function Test-HostResource {
    param([AllowNull()][AllowEmptyString()][string]$Resource)
    $Resource -match 'Msvm_ComputerSystem\.'
}
