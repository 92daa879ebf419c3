# Stands in for Windows where the helper runs on another system, or must not touch the real one: the cmdlets and CIM
# classes that the helper calls, answered from a state file of a snapshot's shape, so that a step changes what the next
# section reads. The helper knows nothing of it: bootstrap.ps1 imports this module and then runs the helper as it is.
# KUBECTL_WIN_STATE names the state file.

foreach ($part in @('state', 'cim', 'hns', 'consequences', 'hyper-v', 'services', 'tasks', 'registry', 'ip', 'firewall', 'objects', 'events', 'acl')) {
    . (Join-Path -Path $PSScriptRoot -ChildPath "$part.ps1")
}

$exported = @('Get-CimClass', 'Get-CimInstance', 'Invoke-CimMethod', 'Get-Service', 'Start-Service', 'Stop-Service',
    'Get-ScheduledTask', 'Get-ScheduledTaskInfo', 'New-ScheduledTaskAction', 'New-ScheduledTaskPrincipal',
    'New-ScheduledTaskSettingsSet', 'New-ScheduledTaskTrigger', 'Register-ScheduledTask', 'Start-ScheduledTask', 'Stop-ScheduledTask', 'Unregister-ScheduledTask',
    'Test-Path', 'Get-ItemProperty', 'New-ItemProperty', 'Remove-ItemProperty', 'Get-AuthenticodeSignature',
    'Set-NetIPInterface', 'Get-NetIPAddress', 'New-NetIPAddress', 'Set-NetIPAddress', 'Remove-NetIPAddress',
    'Get-NetRoute', 'New-NetRoute', 'Remove-NetRoute', 'Set-DnsClientServerAddress', 'Rename-NetAdapter', 'Add-VMNetworkAdapter', 'Get-VMNetworkAdapter', 'Rename-VMNetworkAdapter',
    'Get-NetFirewallProfile', 'Get-NetFirewallRule', 'Get-NetFirewallPortFilter', 'New-NetFirewallRule', 'Remove-NetFirewallRule', 'New-Object', 'Add-Type', 'Get-WinEvent', 'Get-Acl')
Export-ModuleMember -Function $exported
