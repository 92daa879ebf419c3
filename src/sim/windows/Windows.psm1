# Stand-ins for the Windows cmdlets and CIM classes that the helper calls. They read and change a state file in snapshot
# format, so a step changes what the next section reads. The helper does not know about them: bootstrap.ps1 imports this
# module and runs the helper unchanged. KUBECTL_WIN_STATE is the path of the state file.

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
