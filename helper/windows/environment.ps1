# Environment variables of the machine. Read where Windows keeps them: a process may have been started before they were set.

function Get-MachineVariable {
    param([Parameter(Mandatory = $true)][string]$Name)
    $values = Get-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
    $value = Get-Field -InputObject $values -Name $Name
    if ($null -ne $value) { [string]$value }
}
