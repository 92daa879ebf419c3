# Environment variables of the machine, from the registry: the process may have started before they were set.

function Get-MachineVariable {
    param([Parameter(Mandatory = $true)][string]$Name)
    $values = Get-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
    $value = Get-Field -InputObject $values -Name $Name
    if ($null -ne $value) { [string]$value }
}
